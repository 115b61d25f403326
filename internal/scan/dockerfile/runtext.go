package dockerfile

import (
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// runText returns what a RUN executes: the words of its exec form, or one text
// for the shell, which for heredocs is what BuildKit makes of them (buildkit,
// dockerfile2llb, dispatchRun).
func runText(c instructions.ShellDependantCmdLine) []string {
	if len(c.Files) == 0 || len(c.CmdLine) != 1 || !c.PrependShell {
		return c.CmdLine
	}
	if alone := parser.MustParseHeredoc(c.CmdLine[0]); alone != nil {
		body := c.Files[0].Data
		if c.Files[0].Chomp {
			body = parser.ChompHeredocContent(body)
		}
		if strings.HasPrefix(body, "#!") {
			return []string{pipes + c.Files[0].Name}
		}
		return []string{body}
	}
	var b strings.Builder
	b.WriteString(c.CmdLine[0])
	for _, f := range c.Files {
		b.WriteString("\n" + f.Data + f.Name)
	}
	return []string{b.String()}
}

// pipes is where BuildKit puts a heredoc that starts with "#!" to execute it.
const pipes = "/dev/pipes/"
