{{/*
Refuses values that lack what the templates need, as those of an earlier release may (--reuse-values): an absent one would
render as nothing, which no policy, flag or limit means.
*/}}
{{- define "management.checkValues" -}}
{{- $needed := list
  "replicas" "image.repository" "image.pullPolicy"
  "server.bindAddress" "server.port" "server.projectNamespacePrefix" "server.resources" "server.stopDelaySeconds"
  "server.terminationGracePeriodSeconds" "server.nodeSpread" "server.podDisruptionBudget"
  "service.port" "certificates.source" "networkPolicy.enabled" "externalEtcd.prefix" "externalEtcd.clientCertificate"
  "etcd.enabled" "etcd.replicas" "etcd.image" "etcd.pullPolicy" "etcd.resources" "etcd.storage.size" "etcd.quota"
  "etcd.keepVolumes" "etcd.tls" "etcd.nodeSpread" "etcd.podDisruptionBudget"
  "metrics.serviceMonitor.enabled" "metrics.alerts.enabled"
-}}
{{- if eq (dig "source" "" (default dict .Values.certificates)) "self" -}}
{{- $needed = concat $needed (list "certificates.certificateLife" "certificates.authorityLife") -}}
{{- end -}}
{{- range $path := $needed -}}
{{- $found := $.Values -}}
{{- range $name := splitList "." $path -}}
{{- if kindIs "map" $found }}{{ $found = get $found $name }}{{ else }}{{ $found = "" }}{{ end -}}
{{- end -}}
{{- if or (kindIs "invalid" $found) (eq (toString $found) "") -}}
{{- fail (printf "%s must be given: with values of an earlier release, upgrade with --reset-then-reuse-values" $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "management.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What the namespaces of projects begin with. An empty one would hold the servers to nothing. */}}
{{- define "management.projectPrefix" -}}
{{- $prefix := required "server.projectNamespacePrefix must be given: with values of an earlier release, upgrade with --reset-then-reuse-values" .Values.server.projectNamespacePrefix -}}
{{- if not (regexMatch "^[a-z0-9][-a-z0-9]{0,39}$" $prefix) -}}
{{- fail "server.projectNamespacePrefix must be of lower case letters, digits and -, 40 at most" -}}
{{- end -}}
{{- $prefix -}}
{{- end -}}

{{- define "management.serviceAccount" -}}
{{- default (include "management.name" .) .Values.serviceAccount.name -}}
{{- end -}}

{{/*
The group of these kinds, and one that nobody serves. Everybody may ask for the first; a role that names the second, too, is bound
by none but who holds it or may bind it, as Kubernetes' guard against escalation sees to.
*/}}
{{- define "management.guardedGroups" -}}
[management.svc.example, rights.management.svc.example]
{{- end -}}

{{/* What roles of objects' rights are called. */}}
{{- define "management.objectRoles" -}}
^management:[a-z]+:[^:]+:[-0-9a-f]{36}:[0-9]+$
{{- end -}}

{{/* What pods of a part are selected by. Called with a list: the root, the part. */}}
{{- define "management.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "management.labels" -}}
{{- $root := index . 0 -}}
{{ include "management.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "management.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "management.servingSecret" -}}
{{- if eq .Values.certificates.source "secret" -}}
{{- required "certificates.secretName must name a Secret where certificates.source is secret" .Values.certificates.secretName -}}
{{- else -}}
{{- printf "%s-serving" (include "management.name" .) -}}
{{- end -}}
{{- end -}}

{{/* Seconds in a duration of Go, such as 2160h0m0s. */}}
{{- define "management.seconds" -}}
{{- toDate "2006Z07:00" "1970Z" | mustDateModify . | unixEpoch -}}
{{- end -}}

{{/* How much is left of a serving certificate when it has missed its renewal by half, in seconds, or a week if that is less. */}}
{{- define "management.lateSeconds" -}}
{{- $week := 604800 -}}
{{- with .Values.certificates -}}
{{- if eq .source "self" -}}
{{- min $week (div (include "management.seconds" .certificateLife) 6) -}}
{{- else if eq .source "certManager" -}}
{{- min $week (div (include "management.seconds" .certManager.renewBefore) 2) -}}
{{- else -}}
{{- $week -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Nothing in these pods is root, and nothing can become so. */}}
{{- define "management.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "management.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Pods of a part go to different nodes and zones. Called with a list: the root, the part, what where no node is left. */}}
{{- define "management.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- topologyKey: {{ $key }}
  maxSkew: 1
  whenUnsatisfiable: {{ eq $key "kubernetes.io/hostname" | ternary (index $ 2) "ScheduleAnyway" }}
  # What takes no Pod does not count.
  nodeTaintsPolicy: Honor
  {{- if eq (index $ 1) "server" }}
  # Nor do those that a rollout replaces.
  matchLabelKeys: [pod-template-hash]
  {{- end }}
  labelSelector:
    matchLabels:
      {{- include "management.selector" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "management.apart" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "management.selector" . | nindent 12 }}
{{- end -}}

{{- define "management.etcdName" -}}
{{- printf "%s-etcd" (include "management.name" .) -}}
{{- end -}}

{{- define "management.etcdScheme" -}}
{{- ternary "https" "http" .Values.etcd.tls -}}
{{- end -}}

{{/* Where a member of etcd is reached. Called with a list: the root, its number. */}}
{{- define "management.etcdMember" -}}
{{- $root := index . 0 -}}
{{- $name := include "management.etcdName" $root -}}
{{- printf "%s-%d.%s.%s.svc" $name (int (index . 1)) $name $root.Release.Namespace -}}
{{- end -}}

{{/* Whether there is a Secret with what etcd asks of its clients: a word, or nothing. */}}
{{- define "management.etcdTls" -}}
{{- if .Values.etcd.enabled }}{{ if .Values.etcd.tls }}own{{ end }}{{ else if .Values.externalEtcd.tlsSecretName }}external{{ end -}}
{{- end -}}

{{- define "management.etcdServers" -}}
{{- if .Values.etcd.enabled -}}
{{- $urls := list -}}
{{- range $number := until (int .Values.etcd.replicas) -}}
{{- $urls = append $urls (printf "%s://%s:2379" (include "management.etcdScheme" $) (include "management.etcdMember" (list $ $number))) -}}
{{- end -}}
{{- join "," $urls -}}
{{- else -}}
{{- join "," (default (list) .Values.externalEtcd.servers) | required "externalEtcd.servers must name an etcd where etcd.enabled is false" -}}
{{- end -}}
{{- end -}}

{{/* The claims of members of etcd that are there, with a space between. */}}
{{- define "management.etcdVolumes" -}}
{{- $names := list -}}
{{- range $volume := default list (lookup "v1" "PersistentVolumeClaim" .Release.Namespace "").items -}}
{{- if regexMatch (printf "^data-%s-[0-9]+$" (include "management.etcdName" $)) $volume.metadata.name -}}
{{- $names = append $names $volume.metadata.name -}}
{{- end -}}
{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/*
Refuses another number of members than there is: Pods that a StatefulSet adds would make a second, empty etcd. What runs
tells by its flag, as it may be scaled down for a restore; where nothing runs, volumes that were kept do.
*/}}
{{- define "management.checkEtcdMembers" -}}
{{- $name := include "management.etcdName" . -}}
{{- $wanted := int (required "etcd.replicas must be given" .Values.etcd.replicas) -}}
{{- $members := 0 -}}
{{- $live := lookup "apps/v1" "StatefulSet" .Release.Namespace $name -}}
{{- if $live -}}
{{- range $container := $live.spec.template.spec.containers -}}
{{- range $flag := concat (default list $container.args) (default list $container.command) -}}
{{- if hasPrefix "--initial-cluster=" $flag -}}
{{- $members = len (splitList "," $flag) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- $members = include "management.etcdVolumes" . | splitList " " | compact | len -}}
{{- end -}}
{{- if and $members (ne $members $wanted) -}}
{{- fail (printf "etcd.replicas is %d, and the etcd of this release has %d members: more Pods would make a second, empty etcd, and fewer would lose it. Set etcd.replicas=%d; docs/restore.md (More or fewer members) says how to change their number" $wanted $members $members) -}}
{{- end -}}
{{- end -}}

{{/* Whether connections of Pods are limited: a word, or nothing. Values of an earlier release do not say: then they are. */}}
{{- define "management.egress" -}}
{{- $egress := default dict .Values.networkPolicy.egress -}}
{{- if or (not (hasKey $egress "enabled")) $egress.enabled }}yes{{ end -}}
{{- end -}}

{{/*
DNS, and the API server of the cluster, which is no Pod and has any address. Networks judge by the port that it listens on, not
that of its Service, and Helm sees which that is where it may ask the cluster.
*/}}
{{- define "management.egressRules" -}}
{{- $egress := default dict .Values.networkPolicy.egress -}}
{{- $ports := list -}}
{{- range $port := default (list 443 6443) $egress.ports -}}
{{- $ports = append $ports (int $port) -}}
{{- end -}}
{{- $slice := lookup "discovery.k8s.io/v1" "EndpointSlice" "default" "kubernetes" -}}
{{- range $port := default list $slice.ports -}}
{{- $ports = append $ports (int $port.port) -}}
{{- end -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        # Of the link, where clouds tell machines who they are.
        except: [169.254.0.0/16]
    - ipBlock:
        cidr: ::/0
        except: ["fe80::/10"]
  ports:
    {{- range uniq $ports }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end -}}

{{- define "management.etcdSecret" -}}
{{- printf "%s-tls" (include "management.etcdName" .) -}}
{{- end -}}

{{/*
The image of the containers beside etcd: what the StatefulSet has, so that it changes only when it is asked for by
etcd.certificatesImage. That of a release without the container that stays is too old.
*/}}
{{- define "management.etcdCertificatesImage" -}}
{{- $given := .Values.etcd.certificatesImage -}}
{{- $image := default (include "management.image" .) $given -}}
{{- if not $given -}}
{{- $live := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "management.etcdName" .) -}}
{{- if $live -}}
{{- range $container := default list $live.spec.template.spec.containers -}}
{{- if eq $container.name "certificates" -}}
{{- $image = $container.image -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $image -}}
{{- end -}}

{{/* Writes the certificates of a member of etcd into the volume etcd-tls. Called with a list: the root, further arguments. */}}
{{- define "management.etcdCertificates" -}}
{{- $root := index . 0 -}}
{{- $name := include "management.etcdName" $root -}}
# Of its own, so that an upgrade of the server does not restart etcd.
image: {{ include "management.etcdCertificatesImage" $root }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
command: [/nodejs/bin/node, --max-semi-space-size=1, dist/cmd/chart/main.js]
args:
  - etcd-certificates
  - --secret={{ $root.Release.Namespace }}/{{ include "management.etcdSecret" $root }}
  - --names={{ $name }}.{{ $root.Release.Namespace }}.svc,*.{{ $name }}.{{ $root.Release.Namespace }}.svc
  - --out=/etc/management-apiserver/etcd
  {{- range index . 1 }}
  - {{ . }}
  {{- end }}
securityContext:
  {{- include "management.containerSecurity" $root | nindent 2 }}
resources:
  requests:
    cpu: 5m
    memory: 64Mi
  limits:
    memory: 256Mi
volumeMounts:
  - name: etcd-tls
    mountPath: /etc/management-apiserver/etcd
  - name: token
    mountPath: /var/run/secrets/kubernetes.io/serviceaccount
    readOnly: true
{{- end -}}

{{- define "management.encryptionSecret" -}}
{{- default (printf "%s-encryption" (include "management.name" .)) (dig "secretName" "" (default dict .Values.encryption)) -}}
{{- end -}}

{{/*
Refuses what would start servers without the keys of the store, which the servers note at its Lease: a Secret that was
deleted would be made again, empty. Servers that run put the keys back.
*/}}
{{- define "management.checkEncryptionKey" -}}
{{- $secret := include "management.encryptionSecret" . -}}
{{- $lease := lookup "coordination.k8s.io/v1" "Lease" .Release.Namespace "management-store" -}}
{{- $keys := dig "metadata" "annotations" "management.svc.example/store-keys" "" (default dict $lease) -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace $secret -}}
{{- $make := printf "make the Secret from your copy: kubectl -n %s create secret generic %s --from-file=encryption.key (docs/encryption.md, \"The Secret of the chart is lost\")" .Release.Namespace $secret -}}
{{- $volumes := ternary (include "management.etcdVolumes" .) "" (and .Release.IsInstall .Values.etcd.enabled) -}}
{{- $held := dig "data" "encryption.key" "" (default dict $found) -}}
{{- if and $volumes (not $held) -}}
{{- fail (printf "the volumes %s have what an earlier release stored, and the Secret %s/%s with its keys is gone or empty: %s, or delete the volumes" $volumes .Release.Namespace $secret $make) -}}
{{- end -}}
{{- if and $keys (not $held) -}}
{{- fail (printf "the Secret %s/%s is gone or empty, and the store is encrypted with its key %s, which no new one replaces. Servers that run put it back within a minute: run this again then. Where none runs, %s" .Release.Namespace $secret $keys $make) -}}
{{- end -}}
{{- end -}}

{{/* Writes the keys that the store is encrypted with into the volume encryption. */}}
{{- define "management.encryptionKey" -}}
- name: encryption-key
  image: {{ include "management.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [/nodejs/bin/node, dist/cmd/chart/main.js]
  args:
    - encryption-key
    - --secret={{ .Release.Namespace }}/{{ include "management.encryptionSecret" . }}
    - --out=/etc/management-apiserver/encryption
    {{- if or .Values.server.adoptStore (include "management.restoreFrom" .) }}
    - --adopt-store
    {{- end }}
  securityContext:
    {{- include "management.containerSecurity" . | nindent 4 }}
  resources:
    requests:
      cpu: 10m
      memory: 64Mi
    limits:
      memory: 256Mi
  volumeMounts:
    - name: encryption
      mountPath: /etc/management-apiserver/encryption
{{- end -}}

{{/* Whose the EncryptionConfiguration is: `own`, of the values; `given`, of a Secret; empty: there is none. */}}
{{- define "management.providerConfig" -}}
{{- $config := dig "providerConfig" dict (default dict .Values.encryption) -}}
{{- if and $config.resources $config.secretName }}{{ fail "encryption.providerConfig.resources and encryption.providerConfig.secretName exclude each other" }}{{ end -}}
{{- if $config.resources }}own{{ else if $config.secretName }}given{{ end -}}
{{- end -}}

{{- define "management.providerConfigSecret" -}}
{{- default (printf "%s-encryption-configuration" (include "management.name" .)) (dig "providerConfig" "secretName" "" (default dict .Values.encryption)) -}}
{{- end -}}

{{/* Where the socket of the KMS plug-in is from: `hostPath`, `sidecar`, or empty. Refuses what would start without one. */}}
{{- define "management.kms" -}}
{{- $kms := dig "kms" dict (default dict .Values.encryption) -}}
{{- $image := dig "sidecar" "image" "" $kms -}}
{{- $used := or $kms.hostPath $image -}}
{{- if and $kms.hostPath $image }}{{ fail "encryption.kms.hostPath and encryption.kms.sidecar.image exclude each other" }}{{ end -}}
{{- if and $used (not (include "management.providerConfig" .)) }}{{ fail "encryption.kms requires encryption.providerConfig, which names the plug-in" }}{{ end -}}
{{- range $entry := dig "providerConfig" "resources" list (default dict .Values.encryption) -}}
{{- range $provider := $entry.providers -}}
{{- if and $provider.kms (not $used) }}{{ fail "encryption.providerConfig.resources name a KMS plug-in: encryption.kms.hostPath or encryption.kms.sidecar.image must say where its socket is from" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if $kms.hostPath }}hostPath{{ else if $image }}sidecar{{ end -}}
{{- end -}}

{{/* Of a Pod whose server uses the keys: nothing in it is root, and the socket of a KMS plug-in may be for a group. */}}
{{- define "management.keyUserSecurity" -}}
{{ include "management.podSecurity" . }}
{{- if include "management.kms" . }}
{{- with dig "kms" "supplementalGroups" list .Values.encryption }}
supplementalGroups:
{{- range . }}
  - {{ int . }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Starts before what needs its socket, and ends after it: Kubernetes' sidecar container. */}}
{{- define "management.kmsSidecar" -}}
{{- if eq (include "management.kms" .) "sidecar" -}}
{{- $sidecar := .Values.encryption.kms.sidecar -}}
- name: kms-plugin
  image: {{ $sidecar.image }}
  imagePullPolicy: {{ default "IfNotPresent" $sidecar.pullPolicy }}
  restartPolicy: Always
  {{- range $field := list "command" "args" "env" }}
  {{- with get $sidecar $field }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  securityContext:
    {{- include "management.containerSecurity" . | nindent 4 }}
  resources:
    {{- toYaml (required "encryption.kms.sidecar.resources must be given" $sidecar.resources) | nindent 4 }}
  volumeMounts:
    - name: kms
      mountPath: /var/run/kms
    {{- with $sidecar.volumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
{{- end -}}

{{/* What a container that reads the store mounts of keys. */}}
{{- define "management.keyMounts" -}}
- name: encryption
  mountPath: /etc/management-apiserver/encryption
  readOnly: true
{{- if include "management.providerConfig" . }}
# A directory, so that a change of the Secret comes into running Pods.
- name: encryption-configuration
  mountPath: /etc/management-apiserver/encryption-configuration
  readOnly: true
{{- end }}
{{- if include "management.kms" . }}
- name: kms
  mountPath: /var/run/kms
  readOnly: true
{{- end }}
{{- end -}}

{{- define "management.keyVolumes" -}}
- name: encryption
  emptyDir:
    medium: Memory
    sizeLimit: 1Mi
{{- if include "management.providerConfig" . }}
- name: encryption-configuration
  secret:
    secretName: {{ include "management.providerConfigSecret" . }}
    defaultMode: 0440
    items:
      - key: encryption-configuration.yaml
        path: encryption-configuration.yaml
{{- end }}
{{- $kms := include "management.kms" . }}
{{- if eq $kms "hostPath" }}
- name: kms
  hostPath:
    path: {{ .Values.encryption.kms.hostPath }}
    type: Directory
{{- else if eq $kms "sidecar" }}
- name: kms
  emptyDir:
    medium: Memory
    sizeLimit: 1Mi
{{- with .Values.encryption.kms.sidecar.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "management.keyFlags" -}}
- --encryption-key-file=/etc/management-apiserver/encryption/encryption.key
{{- if include "management.providerConfig" . }}
- --encryption-provider-config=/etc/management-apiserver/encryption-configuration/encryption-configuration.yaml
{{- end }}
{{- end -}}

{{/* Whose the audit policy is: `own`, of the values; `given`, of a ConfigMap; empty: there is none. */}}
{{- define "management.auditPolicy" -}}
{{- $audit := default dict .Values.audit -}}
{{- if and $audit.policy $audit.policyConfigMap }}{{ fail "audit.policy and audit.policyConfigMap exclude each other" }}{{ end -}}
{{- if $audit.policy }}own{{ else if $audit.policyConfigMap }}given{{ end -}}
{{- end -}}

{{- define "management.auditConfigMap" -}}
{{- default (printf "%s-audit-policy" (include "management.name" .)) (default dict .Values.audit).policyConfigMap -}}
{{- end -}}

{{- define "management.auditFlags" -}}
{{- $audit := default dict .Values.audit -}}
{{- $log := default "stdout" $audit.log -}}
- --audit-log-path={{ get (dict "stdout" "-" "none" "none" "file" "/var/log/management-apiserver/$(POD_NAME).log") $log }}
{{- if include "management.auditPolicy" . }}
- --audit-policy-file=/etc/management-apiserver/audit/policy.yaml
{{- end }}
{{- if ne (default "batch" $audit.mode) "batch" }}
- --audit-log-mode={{ $audit.mode }}
{{- end }}
{{- end -}}

{{/* What hooks stand on, gone with each of them. Called with a weight. */}}
{{- define "management.hook" -}}
helm.sh/hook: pre-delete,test
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "management.testPod" -}}
{{- printf "%s-test" (include "management.name" .) -}}
{{- end -}}

{{- define "management.hookPod" -}}
restartPolicy: Never
serviceAccountName: {{ include "management.name" . }}-hooks
automountServiceAccountToken: true
enableServiceLinks: false
securityContext:
  {{- include "management.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.server.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.server.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "management.hookContainer" -}}
image: {{ include "management.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command: [/nodejs/bin/node, dist/cmd/chart/main.js]
securityContext:
  {{- include "management.containerSecurity" . | nindent 2 }}
resources:
  requests:
    cpu: 10m
    memory: 64Mi
  limits:
    memory: 256Mi
{{- end -}}

{{/* The annotation of an alert that leads to its part of the page about alerts. Called with a list: the root, the alert. */}}
{{- define "management.runbook" -}}
{{- with (index . 0).Values.metrics.alerts.runbookURL -}}
runbook_url: {{ printf "%s#%s" . (index $ 1 | lower) | quote }}
{{- end -}}
{{- end -}}
