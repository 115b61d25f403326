// Filters and searches the findings. The page is whole without it.
(() => {
  'use strict';
  const form = document.getElementById('filter');
  const unfold = () => { for (const d of document.querySelectorAll('details')) d.open = true; };
  addEventListener('beforeprint', unfold);
  if (!form) return;

  const findings = [...document.querySelectorAll('article.finding')];
  const texts = new Map(findings.map(f => [f, f.textContent.toLowerCase()]));
  const field = name => form.elements.namedItem(name);

  const apply = () => {
    const words = field('text').value.toLowerCase().split(/\s+/).filter(Boolean);
    const levels = new Set([...form.querySelectorAll('[name=level]:checked')].map(c => c.value));
    const step = field('step').value, rule = field('rule').value;
    let shown = 0;
    for (const f of findings) {
      const d = f.dataset;
      f.hidden = !(levels.has(d.level) && (!step || d.step === step) && (!rule || d.rule === rule)
        && words.every(w => texts.get(f).includes(w)));
      if (!f.hidden) shown++;
    }
    const empty = e => !e.querySelector('article.finding:not([hidden])');
    for (const g of document.querySelectorAll('.group')) g.hidden = empty(g);
    for (const n of document.querySelectorAll('.nothing')) n.hidden = !empty(n.parentElement);
    field('count').value = shown === findings.length ? `${shown} findings` : `${shown} of ${findings.length} findings`;
  };

  // A link to a finding that the filter hides shows it.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) { form.reset(); apply(); target.scrollIntoView(); }
  };

  form.addEventListener('input', apply);
  form.addEventListener('submit', e => e.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  addEventListener('hashchange', reveal);
  addEventListener('keydown', e => {
    const typing = /^(input|select|textarea)$/i.test(document.activeElement.tagName);
    if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      field('text').focus();
    } else if (e.key === 'Escape' && document.activeElement === field('text')) {
      field('text').value = '';
      apply();
    }
  });
  form.hidden = false;
  apply();
  reveal();
})();
