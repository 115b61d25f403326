package secret

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	value := strings.Repeat("q7Z", 3) + "mX2kP9v"
	for in, want := range map[string]string{
		"ENV DB_PASSWORD=" + value + " A=1":                                  "ENV DB_PASSWORD=*** A=1",
		"ENV DB_PASSWORD " + value:                                           "ENV DB_PASSWORD ***",
		"onbuild env DB_PASSWORD " + value + " and more":                     "onbuild env DB_PASSWORD ***",
		"    API_TOKEN=\"" + value + "\" \\":                                 "    API_TOKEN=\"***\" \\",
		"RUN curl https://u:" + value + "@host/x":                            "RUN curl https://u:***@host/x",
		"RUN apk add libcrypto3=3.1.4-r1":                                    "RUN apk add libcrypto3=3.1.4-r1",
		"ENV PATH /usr/bin":                                                  "ENV PATH /usr/bin",
		"USER root":                                                          "USER root",
		"RUN echo \"root:" + value + "\" | sudo chpasswd":                    "RUN echo ***| sudo chpasswd",
		"RUN useradd a && printf 'a:%s' " + value + " | chpasswd && x":       "RUN useradd a && printf ***| chpasswd && x",
		"RUN echo " + value + " | passwd --stdin root":                       "RUN echo ***| passwd --stdin root",
		"RUN chpasswd <<< root:" + value:                                     "RUN chpasswd <<< ***",
		"RUN usermod -p '" + value + "' root && id":                          "RUN usermod -p *** root && id",
		"RUN useradd -m --password=" + value + " a":                          "RUN useradd -m --password=*** a",
		"RUN useradd -m -u 5 -G adm,sudo app && echo ok | tee /etc/x":        "RUN useradd -m -u 5 -G adm,sudo app && echo ok | tee /etc/x",
		"RUN echo ok | tee /etc/x && passwd -l root && usermod -aG x-p root": "RUN echo ok | tee /etc/x && passwd -l root && usermod -aG x-p root",
		"": "",
	} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", strings.ReplaceAll(in, value, "VALUE"), strings.ReplaceAll(got, value, "VALUE"), want)
		}
	}
}
