package dockerfile

import "regexp"

// A Base is what is documented about a base image.
type Base struct {
	User   string // "root", or the user or uid it runs as instead
	Source string // where that is documented
}

// KnownBase returns what is documented about the user of a base image. An image
// that is not listed is unknown, and so is one whose user depends on a tag that
// the reference does not give.
func KnownBase(ref string) (Base, bool) {
	r := ParseRef(ref)
	for _, k := range knownBases {
		if !k.name.MatchString(r.Name) {
			continue
		}
		if k.tag != nil && (r.Tag == "" && r.Digest != "" || !k.tag.MatchString(r.Tag)) {
			continue
		}
		return k.base, true
	}
	return Base{}, false
}

type knownBase struct {
	name *regexp.Regexp // the whole name
	tag  *regexp.Regexp // nil if the user is the same for all tags
	base Base
}

func names(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }

const (
	official   = "https://github.com/docker-library/official-images/tree/master/library"
	distroless = "https://github.com/GoogleContainerTools/distroless"
)

// knownBases lists images by the user they run as, first match first.
var knownBases = []knownBase{
	{names(`docker\.io/library/(alpine|almalinux|alt|amazonlinux|archlinux|bash|buildpack-deps|busybox|clearlinux|composer|debian|eclipse-temurin|elixir|erlang|fedora|gcc|golang|haskell|httpd|ibmjava|julia|mageia|maven|nginx|node|openjdk|opensuse|oraclelinux|perl|php|photon|postgres|pypy|python|redis|rockylinux|ruby|rust|sl|swift|tomcat|traefik|ubuntu)`),
		nil, Base{"root", official}},
	{names(`docker\.io/library/memcached`), nil, Base{"memcache", "https://github.com/docker-library/memcached"}},
	{names(`docker\.io/library/groovy`), nil, Base{"groovy", "https://github.com/groovy/docker-groovy"}},
	{names(`gcr\.io/distroless/.+`), names(`.*nonroot.*`), Base{"65532", distroless}},
	{names(`gcr\.io/distroless/.+`), names(`(latest|debug)?(-(amd64|arm64|arm|s390x|ppc64le|riscv64))?`), Base{"root", distroless}},
	{names(`cgr\.dev/chainguard/(static|glibc-dynamic|python|nginx|node)`), nil, Base{"65532", "https://images.chainguard.dev"}},
	{names(`(quay\.io|docker\.io)/jupyter/(base|minimal|scipy|datascience|tensorflow|pytorch|r|julia|pyspark|all-spark)-notebook|(quay\.io|docker\.io)/jupyter/docker-stacks-foundation`),
		nil, Base{"1000", "https://jupyter-docker-stacks.readthedocs.io/en/latest/using/common.html"}},
	{names(`docker\.io/(bitnami|bitnamilegacy)/(postgresql|redis|nginx|mariadb|mysql|mongodb|kafka|rabbitmq|kubectl)`),
		nil, Base{"1001", "https://github.com/bitnami/containers"}},
	{names(`(docker\.io|ghcr\.io|quay\.io|public\.ecr\.aws)/(nginxinc|nginx)/nginx-unprivileged`), nil, Base{"101", "https://github.com/nginx/docker-nginx-unprivileged"}},
	{names(`mcr\.microsoft\.com/dotnet/(runtime|runtime-deps|aspnet)`), names(`([89]|[1-9][0-9])\..*chiseled.*`), Base{"1654", "https://github.com/dotnet/dotnet-docker"}},
	{names(`docker\.io/mambaorg/micromamba`), nil, Base{"mambauser", "https://micromamba-docker.readthedocs.io"}},
	{names(`docker\.io/(condaforge/miniforge3|continuumio/(miniconda3|anaconda3))`), nil, Base{"root", "https://hub.docker.com/u/condaforge and https://hub.docker.com/u/continuumio"}},
	{names(`docker\.io/nvidia/cuda|nvcr\.io/nvidia/cuda`), nil, Base{"root", "https://gitlab.com/nvidia/container-images/cuda"}},
	{names(`registry\.access\.redhat\.com/ubi(8|9|10)/(python|nodejs|ruby|php|perl)-[0-9]+`), nil, Base{"1001", "https://github.com/sclorg"}},
	{names(`docker\.io/jenkins/jenkins`), nil, Base{"jenkins", "https://github.com/jenkinsci/docker"}},
}
