package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// The fields below are those whose spelling matters here; a field that nobody reads
// protects nothing (Kubernetes API reference 1.33, core/v1 and networking.k8s.io/v1;
// Compose specification).
var (
	podFields = strings.Fields(`activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy
		enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride
		imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName
		readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates securityContext
		serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds
		tolerations topologySpreadConstraints volumes workloadRef containerConcurrency timeoutSeconds
		responseStartTimeoutSeconds idleTimeoutSeconds`)
	containerFields = strings.Fields(`args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports
		readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce
		terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir`)
	securityFields = strings.Fields(`allowPrivilegeEscalation appArmorProfile capabilities privileged procMount
		readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions seccompProfile windowsOptions`)
	podSecurityFields = strings.Fields(`appArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser
		seLinuxChangePolicy seLinuxOptions seccompProfile supplementalGroups supplementalGroupsPolicy sysctls windowsOptions`)
	policyFields  = strings.Fields(`podSelector policyTypes ingress egress`)
	serviceFields = strings.Fields(`annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command
		configs container_name cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset
		credential_spec depends_on deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint
		env_file environment expose extends external_links extra_hosts gpus group_add healthcheck hostname image init ipc
		isolation label_file labels links logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit models
		network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform ports post_start pre_start pre_stop
		privileged profiles provider pull_policy pull_refresh_after read_only restart runtime scale secrets security_opt
		shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits use_api_socket user
		userns_mode uts volumes volumes_from working_dir`)
)

// unknownFields remarks on fields that nobody reads.
func unknownFields(v *value, what string, known []string) []Problem {
	var out []Problem
	for _, f := range v.pairs() {
		if slices.Contains(known, f.name) || strings.HasPrefix(f.name, "x-") || strings.HasPrefix(f.name, "$") {
			continue
		}
		if len(out) == maxRemarks {
			break
		}
		p := Problem{At: f.value.at, What: fmt.Sprintf("%s is no field of %s: it sets nothing", brief(f.name), what)}
		if meant := suggest.Nearest(unseparated.Replace(brief(f.name)), known); meant != "" {
			p.Hint = "did you mean " + meant + "?"
		}
		out = append(out, p)
	}
	return out
}

// unseparated is a name without what other languages separate its words with.
var unseparated = strings.NewReplacer("-", "", ".", "")

func composeRemarks(model *value) []Problem {
	var out []Problem
	for _, s := range model.get("services").pairs() {
		out = append(out, unknownFields(s.value, "a service", serviceFields)...)
	}
	return out
}
