package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// rootfs opens a directory that holds the files of a container.
func (op *opener) rootfs(ctx context.Context, target string) (*Opened, error) {
	if op.From == "" && !looksLikeRoot(target) {
		none := errors.New("the directory is neither an OCI layout nor a root filesystem")
		if archives, _ := filepath.Glob(filepath.Join(target, "*.tar")); len(archives) > 0 {
			return nil, hint(none, "for the archives in it: sandbox-audit "+filepath.Join(target, "*.tar"))
		}
		return nil, hint(none,
			"for an image of that name, use --from docker or --from registry; for a root filesystem without etc, usr and bin, --from rootfs")
	}
	root, err := os.OpenRoot(target)
	if err != nil {
		return nil, plain(err)
	}
	defer root.Close()
	content := op.Scanner.Tree(ctx, root)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Opened{Sources: []*image.Source{{
		Name: target, Kind: "rootfs", NoConfig: true,
		Layers: []image.Blob{{Name: target, Size: -1, Content: content}},
		Problems: []image.Problem{{Kind: image.Remark, Layer: -1,
			What: "a directory has no config: user, environment and command are unknown", Hint: "save the image instead: docker save"}},
	}}}, nil
}

func looksLikeRoot(dir string) bool {
	for _, name := range []string{"etc", "usr", "bin"} {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}
