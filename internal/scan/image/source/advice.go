package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// orNearest hints at an image that the engine has and that may have been meant: one of
// nearly that name, or another tag of it.
func (e *engine) orNearest(ctx context.Context, op *opener, err error, from, target string) error {
	names := e.names(ctx, op)
	near := suggest.Nearest(target, names)
	if near == "" {
		repository := target
		if i := strings.LastIndexByte(target, ':'); i > strings.LastIndexByte(target, '/') {
			repository = target[:i]
		}
		if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, repository+":") }); i >= 0 {
			near = names[i]
		}
	}
	if near == "" {
		return err
	}
	return hint(err, fmt.Sprintf("%s has %.200s; is that meant?", from, near))
}

// names are those of the images that the engine has, sorted, without what may be left
// out; none if it does not say.
func (e *engine) names(ctx context.Context, op *opener) []string {
	body, err := e.get(ctx, "/images/json", nil, op.lim.HeaderTimeout, op.lim.StallTimeout)
	if err != nil {
		return nil
	}
	defer body.Close()
	b, err := readAll(body, manifestSize(op.lim))
	if err != nil {
		return nil
	}
	var there []struct{ RepoTags []string }
	if _, err := image.DecodeJSON(b, op.lim, &there); err != nil {
		return nil
	}
	var names []string
	for _, i := range there {
		for _, tag := range i.RepoTags {
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(tag, "localhost/"), "docker.io/library/"))
		}
	}
	slices.Sort(names)
	return names
}

// orEngineHint says how to do without an engine that can't be asked.
func orEngineHint(err error, engine, target string) error {
	switch {
	case err == nil || hintOf(err) != "":
		return err
	case errors.Is(err, errNoSocket) && engine == "podman":
		return hint(err, "start it with: systemctl --user start podman.socket; or without it: "+saveCommand(engine, target))
	case errors.Is(err, errNoSocket) || errors.Is(err, syscall.ECONNREFUSED):
		return hint(err, "start the engine, or without it: "+saveCommand(engine, target))
	}
	return err
}

// saveCommand gives an engine's image to the audit without its socket.
func saveCommand(engine, target string) string {
	return fmt.Sprintf("%s save %s | sandbox-audit -", engine, target)
}
