package secret

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	value := strings.Repeat("q7Z", 3) + "mX2kP9v"
	for in, want := range map[string]string{
		"ENV DB_PASSWORD=" + value + " A=1":              "ENV DB_PASSWORD=*** A=1",
		"ENV DB_PASSWORD " + value:                       "ENV DB_PASSWORD ***",
		"onbuild env DB_PASSWORD " + value + " and more": "onbuild env DB_PASSWORD ***",
		"    API_TOKEN=\"" + value + "\" \\":             "    API_TOKEN=\"***\" \\",
		"RUN curl https://u:" + value + "@host/x":        "RUN curl https://u:***@host/x",
		"RUN apk add libcrypto3=3.1.4-r1":                "RUN apk add libcrypto3=3.1.4-r1",
		"ENV PATH /usr/bin":                              "ENV PATH /usr/bin",
		"USER root":                                      "USER root",
		"":                                               "",
	} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", strings.ReplaceAll(in, value, "VALUE"), strings.ReplaceAll(got, value, "VALUE"), want)
		}
	}
}
