package secret

// messengers are the keys of chat and mail.
var messengers = []Pattern{
	// Slack, "Token types".
	{Name: "slack-bot-token", Vendor: "Slack", Kind: "Slack token", Needles: needles("xoxb-"), form: `xoxb-[0-9]{8,14}-[A-Za-z0-9-]{18,64}`},
	{Name: "slack-user-token", Vendor: "Slack", Kind: "Slack token", Needles: needles("xoxp- xoxc-"), form: `xox[pc]-(?:[0-9]{8,14}-){2,3}[A-Za-z0-9]{28,64}`},
	{Name: "slack-workspace-token", Vendor: "Slack", Kind: "Slack token", Needles: needles("xoxa- xoxr- xoxo- xoxs- xoxd-"), form: `xox[arosd]-[A-Za-z0-9%-]{20,}`, check: mixture},
	{Name: "slack-configuration-token", Vendor: "Slack", Kind: "Slack configuration token", Needles: needles("xoxe- xoxe."), form: `xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9]{100,}`},
	{Name: "slack-app-token", Vendor: "Slack", Kind: "Slack app token", Needles: needles("xapp-"), form: `xapp-\d-[A-Z0-9]{8,14}-[0-9]{8,14}-[0-9a-f]{64}`},
	{Name: "slack-webhook", Vendor: "Slack", Kind: "Slack webhook", Needles: needles("hooks.slack.com/"), open: true, form: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Z][A-Z0-9]{8,}/[A-Z]?[A-Z0-9]{8,}/[A-Za-z0-9/]{20,64})`},
	{Name: "teams-webhook", Vendor: "Microsoft Teams", Kind: "Microsoft Teams webhook", Needles: needles(".webhook.office.com/webhookb2/"), open: true, form: `\.webhook\.office\.com/webhookb2/(` + uuidForm + `@` + uuidForm + `/IncomingWebhook/[0-9a-z]{32}/` + uuidForm + `)`},
	{Name: "discord-webhook", Vendor: "Discord", Kind: "Discord webhook", Needles: needles("discord.com/api/webhooks/ discordapp.com/api/webhooks/"), open: true, form: `discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,80})`},
	{Name: "discord-bot-token", Vendor: "Discord", Kind: "Discord bot token", Needles: needles("discord"), Fold: true, lead: named, form: near("discord", `[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`), judge: besideVendor},
	{Name: "telegram-bot-token", Vendor: "Telegram", Kind: "Telegram bot token", Needles: needles(":AA"), lead: digit, form: `[0-9]{8,10}:AA[A-Za-z0-9_-]{33}`},
	{Name: "sendgrid-api-key", Vendor: "SendGrid", Kind: "SendGrid API key", Needles: needles("SG."), form: `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`},
	{Name: "mailgun-api-key", Vendor: "Mailgun", Kind: "Mailgun API key", Needles: needles("mailgun"), Fold: true, lead: named, form: near("mailgun", `key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}`), judge: besideVendor},
	{Name: "mailchimp-api-key", Vendor: "Mailchimp", Kind: "Mailchimp API key", Needles: needles("-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9"), lead: alnum, form: `[0-9a-f]{32}-us[0-9]{1,2}`},
	{Name: "mandrill-api-key", Vendor: "Mandrill", Kind: "Mandrill API key", Needles: needles("md-"), form: `md-[A-Za-z0-9_-]{22}`, check: mixture},
	{Name: "resend-api-key", Vendor: "Resend", Kind: "Resend API key", Needles: needles("re_"), form: `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`},
	{Name: "brevo-api-key", Vendor: "Brevo", Kind: "Brevo API key", Needles: needles("xkeysib- xsmtpsib-"), form: `x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}`},
	{Name: "twilio-auth-token", Vendor: "Twilio", Kind: "Twilio auth token", Needles: needles("twilio"), Fold: true, lead: named, form: near("twilio", `[0-9a-f]{32}`), judge: besideVendor},
	{Name: "facebook-token", Vendor: "Meta", Kind: "Meta access token", Needles: needles("EAA"), form: `EAA[A-Za-z0-9]{90,}`, check: mixture},
	{Name: "intercom-token", Vendor: "Intercom", Kind: "Intercom token", Needles: needles("dG9rOj"), open: true, form: `dG9rOj[A-Za-z0-9+/]{50,60}={0,2}`},
}

// payments are the keys of payment and trade.
var payments = []Pattern{
	// Stripe, "API keys". Those that begin with pk_ are meant to be seen.
	{Name: "stripe-secret-key", Vendor: "Stripe", Kind: "Stripe secret key", Needles: needles("sk_live_ sk_prod_"), form: `sk_(?:live|prod)_[A-Za-z0-9]{16,}`},
	{Name: "stripe-restricted-key", Vendor: "Stripe", Kind: "Stripe restricted key", Needles: needles("rk_live_ rk_prod_"), form: `rk_(?:live|prod)_[A-Za-z0-9]{16,}`},
	{Name: "stripe-test-key", Vendor: "Stripe", Kind: "Stripe test key", Needles: needles("sk_test_ rk_test_"), form: `[sr]k_test_[A-Za-z0-9]{16,}`},
	{Name: "webhook-signing-secret", Vendor: "Stripe", Kind: "webhook signing secret", Needles: needles("whsec_"), open: true, form: `whsec_[A-Za-z0-9+/]{24,64}={0,2}`, check: mixture},
	{Name: "square-token", Vendor: "Square", Kind: "Square token", Needles: needles("EAAA sq0atp- sq0csp-"), form: `EAAA[A-Za-z0-9_-]{60}|sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43}`},
	{Name: "braintree-token", Vendor: "Braintree", Kind: "Braintree access token", Needles: needles("access_token$production$"), form: `access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}`},
	{Name: "flutterwave-secret-key", Vendor: "Flutterwave", Kind: "Flutterwave secret key", Needles: needles("FLWSECK"), form: `FLWSECK(?:_TEST)?-[0-9a-z]{12,32}(?:-X)?`, check: mixture},
	{Name: "shopify-token", Vendor: "Shopify", Kind: "Shopify token", Needles: needles("shpat_ shpca_ shppa_ shpss_"), form: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`},
	{Name: "plaid-token", Vendor: "Plaid", Kind: "Plaid access token", Needles: needles("access-sandbox- access-development- access-production-"), form: `access-(?:sandbox|development|production)-` + uuidForm},
	{Name: "easypost-api-key", Vendor: "EasyPost", Kind: "EasyPost API key", Needles: needles("EZAK EZTK"), form: `EZ[AT]K[A-Za-z0-9]{54}`},
	{Name: "shippo-token", Vendor: "Shippo", Kind: "Shippo token", Needles: needles("shippo_live_ shippo_test_"), form: `shippo_(?:live|test)_[0-9a-f]{40}`},
	{Name: "duffel-token", Vendor: "Duffel", Kind: "Duffel token", Needles: needles("duffel_live_ duffel_test_"), form: `duffel_(?:live|test)_[A-Za-z0-9_=-]{43}`},
	{Name: "polar-token", Vendor: "Polar", Kind: "Polar token", Needles: needles("polar_oat_ polar_pat_"), form: `polar_[op]at_[A-Za-z0-9]{40,48}`},
	{Name: "paddle-api-key", Vendor: "Paddle", Kind: "Paddle API key", Needles: needles("pdl_live_apikey_ pdl_sdbx_apikey_"), form: `pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}`},
	{Name: "mollie-api-key", Vendor: "Mollie", Kind: "Mollie API key", Needles: needles("mollie"), Fold: true, lead: named, form: near("mollie", `(?:live|test)_[A-Za-z0-9]{30}`), judge: besideVendor},
}

// monitors are the keys of monitoring, logs and feature flags.
var monitors = []Pattern{
	{Name: "datadog-key", Vendor: "Datadog", Kind: "Datadog key", Needles: needles("datadog dd_api_key dd_app"), Fold: true, lead: named, form: near("(?:datadog|dd_ap)", `[0-9a-f]{40}|[0-9a-f]{32}`), judge: besideVendor},
	{Name: "new-relic-user-key", Vendor: "New Relic", Kind: "New Relic user key", Needles: needles("NRAK-"), form: `NRAK-[A-Z0-9]{27}`},
	{Name: "new-relic-insert-key", Vendor: "New Relic", Kind: "New Relic insert key", Needles: needles("NRII-"), form: `NRII-[A-Za-z0-9_-]{32}`},
	{Name: "new-relic-license-key", Vendor: "New Relic", Kind: "New Relic license key", Needles: needles("NRAL"), lead: alnum, form: `[0-9a-zA-Z]{36}NRAL`},
	{Name: "sentry-token", Vendor: "Sentry", Kind: "Sentry token", Needles: needles("sntrys_ sntryu_"), longest: 1025, form: `sntrys_eyJ[A-Za-z0-9+/=]{20,}_[A-Za-z0-9+/]{43}|sntryu_[0-9a-f]{64}`},
	{Name: "grafana-token", Vendor: "Grafana", Kind: "Grafana token", Needles: needles("glsa_ glc_ eyJrIjoi"), longest: 1025, open: true, form: `glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|(?:glc_eyJ|eyJrIjoi)[A-Za-z0-9+/]{40,}={0,2}`},
	{Name: "honeycomb-key", Vendor: "Honeycomb", Kind: "Honeycomb key", Needles: needles("hcaik_ hcxik_ hcamk_ hcxmk_"), form: `hc[ax][im]k_[A-Za-z0-9]{32,64}`},
	{Name: "dynatrace-token", Vendor: "Dynatrace", Kind: "Dynatrace token", Needles: needles("dt0c01. dt0s01. dt0s16."), form: `dt0[cs](?:01|16)\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}`},
	{Name: "posthog-personal-key", Vendor: "PostHog", Kind: "PostHog personal API key", Needles: needles("phx_"), form: `phx_[A-Za-z0-9]{43,52}`},
	{Name: "axiom-token", Vendor: "Axiom", Kind: "Axiom token", Needles: needles("xaat- xapt- xait-"), form: `xa(?:at|pt|it)-` + uuidForm},
	{Name: "launchdarkly-key", Vendor: "LaunchDarkly", Kind: "LaunchDarkly key", Needles: needles("sdk- api-"), form: `(?:sdk|api)-` + uuidForm},
	{Name: "statsig-secret", Vendor: "Statsig", Kind: "Statsig secret key", Needles: needles("secret-"), form: `secret-[A-Za-z0-9]{43}`, check: mixture},
	{Name: "elastic-cloud-key", Vendor: "Elastic", Kind: "Elastic Cloud key", Needles: needles("essu_"), open: true, form: `essu_[A-Za-z0-9+/]{60,120}={0,2}`},
	{Name: "snyk-token", Vendor: "Snyk", Kind: "Snyk token", Needles: needles("snyk"), Fold: true, lead: named, form: near("snyk", uuidForm), judge: besideVendor},
	{Name: "rollbar-token", Vendor: "Rollbar", Kind: "Rollbar token", Needles: needles("rollbar"), Fold: true, lead: named, form: near("rollbar", `[0-9a-f]{32}`), judge: besideVendor},
	{Name: "pagerduty-key", Vendor: "PagerDuty", Kind: "PagerDuty key", Needles: needles("pagerduty"), Fold: true, lead: named, form: near("pagerduty", `u\+[A-Za-z0-9_+-]{18}|[0-9a-f]{32}`), judge: besideVendor},
}

// services are the keys of other services on the web.
var services = []Pattern{
	{Name: "linear-token", Vendor: "Linear", Kind: "Linear API key", Needles: needles("lin_api_ lin_oauth_"), form: `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}`},
	{Name: "figma-token", Vendor: "Figma", Kind: "Figma token", Needles: needles("figd_"), form: `figd_[A-Za-z0-9_-]{38,48}`},
	{Name: "typeform-token", Vendor: "Typeform", Kind: "Typeform token", Needles: needles("tfp_"), form: `tfp_[A-Za-z0-9_.=-]{40,60}`},
	{Name: "dropbox-token", Vendor: "Dropbox", Kind: "Dropbox token", Needles: needles("sl."), longest: 2049, form: `sl\.(?:u\.)?[A-Za-z0-9_=-]{130,}`},
	{Name: "mapbox-secret-token", Vendor: "Mapbox", Kind: "Mapbox secret token", Needles: needles("sk.eyJ"), form: `sk\.eyJ[A-Za-z0-9_-]{50,}\.[A-Za-z0-9_-]{22}`},
	{Name: "hubspot-token", Vendor: "HubSpot", Kind: "HubSpot token", Needles: needles("pat-na pat-eu pat-ap"), form: `pat-(?:na|eu|ap)[0-9]-` + uuidForm},
	{Name: "salesforce-token", Vendor: "Salesforce", Kind: "Salesforce session", Needles: needles("00D"), form: `00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,120}`},
	{Name: "adobe-client-secret", Vendor: "Adobe", Kind: "Adobe client secret", Needles: needles("p8e-"), form: `p8e-[A-Za-z0-9_-]{32}`},
	{Name: "maxmind-license-key", Vendor: "MaxMind", Kind: "MaxMind license key", Needles: needles("_mmk"), lead: joined, form: `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`},
	{Name: "dbt-token", Vendor: "dbt", Kind: "dbt token", Needles: needles("dbtc_ dbtu_"), form: `dbt[cu]_[A-Za-z0-9_-]{32,64}`, check: mixture},
	{Name: "twitter-bearer-token", Vendor: "X", Kind: "X bearer token", Needles: needles("AAAAAAAAAAAAAAAAAAAAA"), form: `A{21,22}[A-Za-z0-9%]{60,100}`, check: mixture},
	{Name: "okta-token", Vendor: "Okta", Kind: "Okta API token", Needles: needles("okta"), Fold: true, lead: named, form: near("okta", `00[A-Za-z0-9_-]{40}`), judge: besideVendor},
	{Name: "algolia-admin-key", Vendor: "Algolia", Kind: "Algolia admin key", Needles: needles("algolia_admin algolia_write algolia_api"), Fold: true, lead: named, form: near("algolia_(?:admin|write|api)", `[0-9a-f]{32}`), judge: besideVendor},
	{Name: "frameio-token", Vendor: "Frame.io", Kind: "Frame.io token", Needles: needles("fio-u-"), form: `fio-u-[A-Za-z0-9_=-]{64}`},
}

// contexts are keys without a form of their own, known by the vendor's name and
// their length.
var contexts = []Pattern{
	{Name: "aws-secret-access-key", Vendor: "AWS", Kind: "AWS secret access key", Needles: needles("aws_secret aws-secret awssecret secret_access_key secretaccesskey"), Fold: true, lead: named, form: near("(?:aws.?secret|secret.?access.?key)", `[A-Za-z0-9/+]{40}`), judge: besideVendor},
	{Name: "cloudflare-api-token", Vendor: "Cloudflare", Kind: "Cloudflare API token", Needles: needles("cloudflare cf_api"), Fold: true, lead: named, form: near("(?:cloudflare|cf_api)", `[A-Za-z0-9_-]{40}|[0-9a-f]{37}`), judge: besideVendor},
	{Name: "hetzner-api-token", Vendor: "Hetzner", Kind: "Hetzner API token", Needles: needles("hcloud hetzner"), Fold: true, lead: named, form: near("(?:hcloud|hetzner)", `[A-Za-z0-9]{64}`), judge: besideVendor},
	{Name: "scaleway-secret-key", Vendor: "Scaleway", Kind: "Scaleway secret key", Needles: needles("scw_secret scaleway"), Fold: true, lead: named, form: near("(?:scw_secret|scaleway)", uuidForm), judge: besideVendor},
	{Name: "linode-token", Vendor: "Linode", Kind: "Linode token", Needles: needles("linode"), Fold: true, lead: named, form: near("linode", `[0-9a-f]{64}`), judge: besideVendor},
	{Name: "alibaba-access-key-secret", Vendor: "Alibaba Cloud", Kind: "Alibaba Cloud access key secret", Needles: needles("alibaba aliyun access_key_secret accesskeysecret"), Fold: true, lead: named, form: near("(?:alibaba|aliyun|access_?key_?secret)", `[A-Za-z0-9]{30}`), judge: besideVendor},
	{Name: "ibm-cloud-api-key", Vendor: "IBM Cloud", Kind: "IBM Cloud API key", Needles: needles("ibmcloud ibm_cloud watsonx"), Fold: true, lead: named, form: near("(?:ibm_?cloud|watsonx)", `[A-Za-z0-9_-]{44}`), judge: besideVendor},
	{Name: "ngrok-authtoken", Vendor: "ngrok", Kind: "ngrok authtoken", Needles: needles("ngrok"), Fold: true, lead: named, form: near("ngrok", `[A-Za-z0-9]{26,32}_[A-Za-z0-9]{20,22}`), judge: besideVendor},
	{Name: "deepgram-api-key", Vendor: "Deepgram", Kind: "Deepgram API key", Needles: needles("deepgram"), Fold: true, lead: named, form: near("deepgram", `[0-9a-f]{40}`), judge: besideVendor},
	{Name: "assemblyai-api-key", Vendor: "AssemblyAI", Kind: "AssemblyAI API key", Needles: needles("assemblyai assembly_ai"), Fold: true, lead: named, form: near("assembly_?ai", `[0-9a-f]{32}`), judge: besideVendor},
	{Name: "serper-api-key", Vendor: "Serper", Kind: "Serper API key", Needles: needles("serper"), Fold: true, lead: named, form: near("serper", `[0-9a-f]{40}`), judge: besideVendor},
	{Name: "exa-api-key", Vendor: "Exa", Kind: "Exa API key", Needles: needles("exa_api_key"), Fold: true, lead: named, form: near("exa_api_key", uuidForm), judge: besideVendor},
	{Name: "fal-key", Vendor: "fal", Kind: "fal key", Needles: needles("fal_key fal_api"), Fold: true, lead: named, form: near("fal_(?:key|api)", uuidForm+`:[0-9a-f]{32}`), judge: besideVendor},
	{Name: "zhipu-api-key", Vendor: "Zhipu AI", Kind: "Zhipu AI API key", Needles: needles("zhipu zai_api glm_api"), Fold: true, lead: named, form: near("(?:zhipu|zai_api|glm_api)", `[0-9a-f]{32}\.[A-Za-z0-9]{16}`), judge: besideVendor},
	{Name: "kubernetes-bootstrap-token", Vendor: "Kubernetes", Kind: "bootstrap token", Needles: needles("bootstrap"), Fold: true, lead: named, form: near("bootstrap", `[a-z0-9]{6}\.[a-z0-9]{16}`), judge: besideVendor},
	{Name: "wireguard-private-key", Vendor: "WireGuard", Kind: "WireGuard private key", Needles: needles("PrivateKey"), lead: named, form: near("PrivateKey", `[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=`), judge: besideVendor, open: true},
}
