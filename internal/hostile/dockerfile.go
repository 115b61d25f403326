package hostile

import (
	"strings"
	"unicode/utf16"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// base starts a Dockerfile that no rule has anything to say about.
const base = "FROM scratch\nUSER 65532:65532\n"

func text(s string) Input { return Input{Dockerfile: []byte(s)} }

// on is a builder of the Dockerfile with lines.
func lines(s string) func() Input { return func() Input { return text(base + s) } }

// dockerfiles are the rows on Dockerfiles as files.
func dockerfiles() []Case {
	return []Case{
		{ID: "F01", What: "empty file", Input: func() Input { return text("") }, Class: Refuse, Want: "no instructions"},
		{ID: "F01 comments", What: "comments only", Input: func() Input { return text("# a\n\n# b\n") }, Class: Refuse, Want: "no instructions"},
		{ID: "F02", What: "no FROM", Input: func() Input { return text("USER 1\n") }, Class: Refuse, Want: "no FROM"},
		{ID: "F04 little", What: "UTF-16", Input: func() Input { return F04(false) }, Class: Refuse, Want: "UTF-16 | UTF-8"},
		{ID: "F04 big", What: "UTF-16, bytes swapped", Input: func() Input { return F04(true) }, Class: Refuse, Want: "UTF-16 | UTF-8"},
		{ID: "F04 NUL", What: "NUL byte", Input: lines("RUN a\x00b\n"), Class: Refuse, Want: "NUL byte at offset"},
		{ID: "F05 mark", What: "byte order mark and CRLF", Input: func() Input { return text("\xef\xbb\xbf" + strings.ReplaceAll(base, "\n", "\r\n")) }, Class: Plain},
		{ID: "F05 marks", What: "two byte order marks", Input: func() Input { return text("\xef\xbb\xbf\xef\xbb\xbf" + base) }, Class: Refuse, Want: "two byte order marks"},
		{ID: "F06 all", What: "lines that end with a bare carriage return", Input: func() Input { return text(strings.ReplaceAll(base, "\n", "\r")) }, Class: Refuse, Want: "bare carriage return"},
		{ID: "F06 one", What: "line that hides its start on a terminal", Input: lines("USER root\rUSER nobody\n"), Class: Partial, Want: "Dockerfile:3 | bare carriage return", Evades: true},
		{ID: "F06 other", What: "line ends that only Unicode knows", Input: lines("LABEL a=b\u2028USER root\n"), Class: Partial, Want: "Dockerfile:3"},
		{ID: "F12", What: "file over the limit", Input: lines("ENV a=b\n"), Limits: func(l *limits.Limits) { l.DockerfileBytes = 20 }, Class: Refuse, Want: "over 20 bytes | --max-dockerfile-bytes"},
		{ID: "F09 blank", What: "thousands of blank lines within an instruction", Input: func() Input { return F09("\n") }, Class: Plain},
		{ID: "F09 comments", What: "thousands of comments within an instruction", Input: func() Input { return F09("# c\n") }, Class: Plain},
		{ID: "F09 instructions", What: "more instructions than the limit", Input: func() Input { return lines(strings.Repeat("ENV a=b\n", 50))() }, Limits: func(l *limits.Limits) { l.Instructions = 20 }, Class: Refuse, Want: "over 20 instructions"},
		{ID: "F09 stages", What: "more stages than the limit", Input: func() Input { return lines(strings.Repeat(base, 20))() }, Limits: func(l *limits.Limits) { l.Stages = 10 }, Class: Refuse, Want: "over 10 stages"},
		{ID: "F13 twice", What: "escape directive twice", Input: func() Input { return text("# escape=`\n# escape=`\n" + base) }, Class: Partial, Want: "Dockerfile:2"},
		{ID: "F13 bad", What: "escape directive of another character", Input: func() Input { return text("# escape=x\n" + base) }, Class: Partial, Want: "Dockerfile:1"},
		{ID: "F13 backtick", What: "instruction that goes on by a backtick", Input: func() Input { return text("# escape=`\n" + base + "LABEL a=b `\n  c=d\n") }, Class: Plain},
		{ID: "F14", What: "frontend of its own", Input: func() Input { return text("# syntax=evil.example/frontend\n" + base) }, Class: Finding, Want: "SBX004 | Dockerfile:1 | frontend of its own", Evades: true},
		{ID: "F14 docker", What: "Docker's own frontend", Input: func() Input { return text("# syntax=docker/dockerfile:1\n" + base) }, Class: Plain},
		{ID: "F14 JSON", What: "frontend of its own, in JSON", Input: func() Input { return text(`{"syntax":"evil.example/frontend"}` + "\n" + base) }, Class: Partial, Want: "Dockerfile:1", Evades: true},
		{ID: "F14 program", What: "frontend of its own, below #!", Input: func() Input { return text("#!/bin/sh\n# syntax=evil.example/frontend\n" + base) }, Class: Finding, Want: "SBX004 | frontend of its own", Evades: true},
		{ID: "F20", What: "15,000 lines", Input: func() Input { return F20(15000) }, Class: Plain},
	}
}

// F04 is text in two bytes a character.
func F04(big bool) Input {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(base)) {
		b = append(b, byte(u), byte(u>>8))
	}
	if big {
		for i := 0; i < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	}
	return Input{Dockerfile: b}
}

// F09 has a line many times within one instruction.
func F09(line string) Input {
	return text(base + "LABEL \\\n" + strings.Repeat(line, 20000) + "a=b\n")
}

// F20 is large, and as people write it.
func F20(n int) Input {
	return text(base + strings.Repeat("LABEL org.example.build.note=\"a line of a generated file\"\n", n))
}

// instructions are the rows on what stands in Dockerfiles.
func instructions() []Case {
	return []Case{
		{ID: "F02 from", What: "FROM without a base", Input: func() Input { return text(base + "FROM\nUSER 1\n") }, Class: Partial, Want: "Dockerfile:3"},
		{ID: "F02 empty", What: "instructions without arguments", Input: lines("ENV\nCOPY\nUSER\n"), Class: Partial, Want: "Dockerfile:3 | Dockerfile:4 | Dockerfile:5"},
		{ID: "F03", What: "unknown instruction", Input: lines("USR root\n"), Class: Partial, Want: "Dockerfile:3 | unknown instruction | USER"},
		{ID: "F03 letter", What: "instruction with a letter of another alphabet", Input: lines("US\u0415R root\n"), Class: Partial, Want: "Dockerfile:3 | unknown instruction", Evades: true},
		{ID: "F03 space", What: "no-break space behind an instruction", Input: lines("USER\u00a0root\n"), Class: Partial, Want: "Dockerfile:3", Evades: true},
		{ID: "F07", What: "line over the limit", Input: lines("LABEL a=" + strings.Repeat("x", 70000) + "\nLABEL c=d\n"), Class: Partial, Want: "Dockerfile:3 | is over 65535 bytes"},
		{ID: "F07 first", What: "first line over the limit", Input: func() Input { return text("ARG a=" + strings.Repeat("x", 70000) + "\n" + base) }, Class: Partial, Want: "Dockerfile:1 | is over 65535 bytes"},
		{ID: "F07 heredoc", What: "line of a heredoc over the limit", Input: lines("RUN <<E\necho " + strings.Repeat("x", 70000) + "\nE\n"), Class: Partial, Want: "is over 65535 bytes"},
		{ID: "F07 whole", What: "instruction over the limit", Input: lines("LABEL a=b" + strings.Repeat(" \\\n c=dddd", 100) + "\n"), Limits: func(l *limits.Limits) { l.InstructionBytes = 500 }, Class: Partial, Want: "Dockerfile:3 | over 500 bytes"},
		{ID: "F08 open", What: "heredoc without an end", Input: lines("RUN <<E\necho\nUSER root\n"), Class: Partial, Want: "Dockerfile:3", Evades: true},
		{ID: "F08 hidden", What: "instruction in a heredoc", Input: F08, Class: Finding, Want: "SBX201", Evades: true},
		{ID: "F10", What: "substitutions in substitutions", Input: func() Input { return F10(5000) }, Class: Partial, Want: "Dockerfile:3 | nests ${ deeper than 32", Evades: true},
		{ID: "F11", What: "ONBUILD ONBUILD ...", Input: lines(strings.Repeat("ONBUILD ", 5000) + "RUN a\n"), Class: Partial, Want: "Dockerfile:3 | nests ONBUILD"},
		{ID: "F11 flags", What: "ONBUILD --a ONBUILD --a ... on many lines", Input: lines(strings.Repeat("ONBUILD --a \\\n", 3000) + "RUN a\n"), Class: Partial, Want: "Dockerfile:3 | nests ONBUILD"},
		{ID: "F12 words", What: "instruction of many words", Input: lines("ENV a=b" + strings.Repeat(" c=", 100) + "\n"), Limits: func(l *limits.Limits) { l.InstructionWords = 50 }, Class: Partial, Want: "Dockerfile:3 | over 50 words"},
		{ID: "F15 self", What: "COPY from the stage itself", Input: func() Input { return text("FROM scratch AS a\nUSER 65532:65532\nCOPY --from=a /x /x\n") }, Class: Note, Want: "Dockerfile:3 | does not come before"},
		{ID: "F15 circle", What: "stages that copy from each other", Input: F15, Class: Note, Want: "Dockerfile:2 | does not come before"},
		{ID: "F15 missing", What: "COPY from stage 99", Input: lines("COPY --from=99 /x /x\n"), Class: Note, Want: "Dockerfile:3 | does not come before"},
		{ID: "F15 names", What: "two stages of one name", Input: F15Names, Class: Note, Want: "Dockerfile:1 | stage a is not judged"},
		{ID: "F16", What: "base that nobody gives", Input: func() Input { return text("ARG X\nFROM $X\nUSER 65532:65532\n") }, Class: Plain},
		{ID: "F17 open", What: "exec form that is no JSON", Input: lines("CMD [\"a\", b]\n"), Class: Plain},
		{ID: "F17 types", What: "exec form with a number", Input: lines("CMD [\"a\", 1]\n"), Class: Partial, Want: "Dockerfile:3 | strings only"},
		{ID: "F17 deep", What: "thousands of opening brackets", Input: lines("CMD " + strings.Repeat("[", 20000) + "\n"), Class: Plain},
		{ID: "F18", What: "unknown flag", Input: lines("COPY --fron=a /x /x\n"), Class: Partial, Want: "Dockerfile:3 | flag --fron"},
	}
}

// F08 shows another user to those who go by the lines.
func F08() Input { return text("FROM scratch\nUSER root\nRUN <<E\nUSER 65532:65532\nE\n") }

// F10 takes more than its length to parse.
func F10(depth int) Input {
	return text(base + "RUN <<E echo " + strings.Repeat("${a-", depth) + strings.Repeat("}", depth) + "\nE\n")
}

// F15 has no first stage to build.
func F15() Input {
	return text("FROM scratch AS a\nCOPY --from=b /x /x\nFROM scratch AS b\nUSER 65532:65532\nCOPY --from=a /x /x\n")
}

// F15Names has a name that stands for two stages.
func F15Names() Input {
	return text("FROM scratch AS a\nUSER root\nFROM scratch AS a\nUSER 65532:65532\nFROM a\n")
}
