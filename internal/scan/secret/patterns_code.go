package secret

import "strings"

func needles(list string) []string { return strings.Fields(list) }

// codeHosts are the tokens of code hosts and of the build services beside them.
var codeHosts = []Pattern{
	// GitHub, "About authentication to GitHub", "GitHub's token formats".
	{Name: "github-token", Vendor: "GitHub", Kind: "GitHub token", Needles: needles("ghp_"), form: `ghp_[A-Za-z0-9]{36}`, check: checksummed},
	{Name: "github-oauth-token", Vendor: "GitHub", Kind: "GitHub OAuth token", Needles: needles("gho_"), form: `gho_[A-Za-z0-9]{36}`, check: checksummed},
	{Name: "github-user-token", Vendor: "GitHub", Kind: "GitHub user token", Needles: needles("ghu_"), form: `ghu_[A-Za-z0-9]{36}`, check: checksummed},
	{Name: "github-app-token", Vendor: "GitHub", Kind: "GitHub app token", Needles: needles("ghs_"), form: `ghs_[A-Za-z0-9]{36}`, check: checksummed},
	{Name: "github-refresh-token", Vendor: "GitHub", Kind: "GitHub refresh token", Needles: needles("ghr_"), form: `ghr_[A-Za-z0-9]{36}(?:[A-Za-z0-9]{40})?`},
	{Name: "github-fine-grained-token", Vendor: "GitHub", Kind: "GitHub token", Needles: needles("github_pat_"), form: `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`},
	// GitLab, "Token overview", "Token prefixes". A routable token goes on after a full stop.
	{Name: "gitlab-token", Vendor: "GitLab", Kind: "GitLab token", Needles: needles("glpat-"), form: `glpat-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2,11}){0,2}`},
	{Name: "gitlab-deploy-token", Vendor: "GitLab", Kind: "GitLab deploy token", Needles: needles("gldt-"), form: `gldt-[A-Za-z0-9_-]{20,64}`},
	{Name: "gitlab-runner-token", Vendor: "GitLab", Kind: "GitLab runner token", Needles: needles("glrt- glrtr- GR1348941"), form: `(?:glrtr?-|GR1348941)[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2,11}){0,2}`},
	{Name: "gitlab-job-token", Vendor: "GitLab", Kind: "GitLab job token", Needles: needles("glcbt-"), form: `glcbt-[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20,64}`},
	{Name: "gitlab-trigger-token", Vendor: "GitLab", Kind: "GitLab trigger token", Needles: needles("glptt-"), form: `glptt-[A-Za-z0-9_-]{20,64}`},
	{Name: "gitlab-agent-token", Vendor: "GitLab", Kind: "GitLab agent token", Needles: needles("glagent-"), form: `glagent-[A-Za-z0-9_-]{50,}`},
	{Name: "gitlab-oauth-secret", Vendor: "GitLab", Kind: "GitLab OAuth application secret", Needles: needles("gloas-"), form: `gloas-[A-Za-z0-9_-]{64}`},
	{Name: "gitlab-other-token", Vendor: "GitLab", Kind: "GitLab token", Needles: needles("glft- glimt- glsoat- glffct-"), form: `gl(?:f|im|soa|ffc)t-[A-Za-z0-9_-]{20,64}`},
	{Name: "bitbucket-app-password", Vendor: "Bitbucket", Kind: "Bitbucket app password", Needles: needles("ATBB"), form: `ATBB[A-Za-z0-9]{32}`},
	{Name: "bitbucket-access-token", Vendor: "Bitbucket", Kind: "Bitbucket access token", Needles: needles("ATCTT3xFfG"), form: `ATCTT3xFfG[A-Za-z0-9_=-]{100,}`},
	{Name: "atlassian-api-token", Vendor: "Atlassian", Kind: "Atlassian API token", Needles: needles("ATATT3xFfG"), form: `ATATT3xFfG[A-Za-z0-9_=-]{100,}`},
	{Name: "azure-devops-token", Vendor: "Azure DevOps", Kind: "Azure DevOps token", Needles: needles("AZDO"), lead: alnum, form: `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`},
	{Name: "sourcegraph-token", Vendor: "Sourcegraph", Kind: "Sourcegraph token", Needles: needles("sgp_"), form: `sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}`},
	{Name: "circleci-token", Vendor: "CircleCI", Kind: "CircleCI token", Needles: needles("CCIPAT_ CCIPRJ_"), form: `CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}`},
	{Name: "buildkite-token", Vendor: "Buildkite", Kind: "Buildkite token", Needles: needles("bkua_"), form: `bkua_[0-9a-f]{40}`},
	{Name: "octopus-api-key", Vendor: "Octopus Deploy", Kind: "Octopus Deploy API key", Needles: needles("API-"), form: `API-[A-Z0-9]{26,32}`, check: mixture},
	{Name: "harness-token", Vendor: "Harness", Kind: "Harness token", Needles: needles("pat. sat."), form: `[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`},
	{Name: "sonarqube-token", Vendor: "SonarQube", Kind: "SonarQube token", Needles: needles("squ_ sqp_ sqa_"), form: `sq[upa]_[0-9a-f]{40}`},
}

// registries are the tokens of package registries.
var registries = []Pattern{
	{Name: "npm-token", Vendor: "npm", Kind: "npm token", Needles: needles("npm_"), form: `npm_[A-Za-z0-9]{36}`, check: checksummed},
	{Name: "npm-registry-credential", Vendor: "npm", Kind: "npm registry credential", Needles: needles("_authtoken"), Fold: true, open: true, form: `(?i)_authToken["']?\s{0,4}[=:]\s{0,4}["']?([^\s"']{8,})`, judge: registryToken},
	// A macaroon in Base64 whose location is pypi.org or test.pypi.org.
	{Name: "pypi-token", Vendor: "PyPI", Kind: "PyPI token", Needles: needles("pypi-AgE"), form: `pypi-AgE[A-Za-z0-9_-]{50,}`},
	{Name: "rubygems-key", Vendor: "RubyGems", Kind: "RubyGems API key", Needles: needles("rubygems_"), form: `rubygems_[0-9a-f]{48}`},
	{Name: "crates-io-token", Vendor: "crates.io", Kind: "crates.io token", Needles: needles("cio"), form: `cio[A-Za-z0-9]{32}`, check: mixture},
	{Name: "docker-hub-token", Vendor: "Docker Hub", Kind: "Docker Hub token", Needles: needles("dckr_pat_ dckr_oat_"), form: `dckr_[po]at_[A-Za-z0-9_-]{27,64}`},
	{Name: "nuget-api-key", Vendor: "NuGet", Kind: "NuGet API key", Needles: needles("oy2"), form: `oy2[a-z0-9]{43}`, check: mixture},
	{Name: "clojars-token", Vendor: "Clojars", Kind: "Clojars token", Needles: needles("CLOJARS_"), form: `CLOJARS_[0-9a-z]{60}`},
	{Name: "artifactory-api-key", Vendor: "Artifactory", Kind: "Artifactory API key", Needles: needles("AKCp"), form: `AKCp[A-Za-z0-9]{69}`},
	{Name: "artifactory-token", Vendor: "Artifactory", Kind: "Artifactory token", Needles: needles("cmVmdGtu"), form: `cmVmdGtu[A-Za-z0-9]{56}`},
	{Name: "postman-api-key", Vendor: "Postman", Kind: "Postman API key", Needles: needles("PMAK-"), form: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
	{Name: "readme-api-key", Vendor: "ReadMe", Kind: "ReadMe API key", Needles: needles("rdme_"), form: `rdme_[0-9a-z]{70}`},
}
