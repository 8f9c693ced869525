{{/* What the Pods that write backups have in common: the CronJob of backups, and the Deployment of their log. */}}

{{/* The components that read etcd for backups, with a space between. */}}
{{- define "management.backupParts" -}}
{{- $backup := default dict .Values.backup -}}
{{- if and $backup.log (not $backup.enabled) }}{{ fail "backup.log requires backup.enabled" }}{{ end -}}
{{- if $backup.enabled }}backup{{ if $backup.log }} backup-log{{ end }}{{ end -}}
{{- end -}}

{{/* A container that runs `backup`. Called with a list: the root, its name, the arguments. */}}
{{- define "management.backupContainer" -}}
{{- $root := index . 0 -}}
{{- $backup := $root.Values.backup -}}
{{- $etcdTls := include "management.etcdTls" $root -}}
{{- if and $backup.recipients $backup.passphraseSecretName }}{{ fail "backup.recipients and backup.passphraseSecretName exclude each other" }}{{ end -}}
- name: {{ index . 1 }}
  image: {{ include "management.image" $root }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  args:
    - backup
    {{- range index . 2 }}
    - {{ . }}
    {{- end }}
    {{- with $backup.recipients }}
    - --recipient={{ join "," . }}
    {{- end }}
    {{- if $backup.passphraseSecretName }}
    - --passphrase-file=/etc/management-apiserver/backup/passphrase
    {{- end }}
    {{- include "management.keyFlags" $root | nindent 4 }}
    - --etcd-servers={{ include "management.etcdServers" $root }}
    - --etcd-prefix={{ $root.Values.externalEtcd.prefix }}
    {{- if $etcdTls }}
    - --etcd-cafile=/etc/management-apiserver/etcd/ca.crt
    {{- if or $root.Values.etcd.enabled $root.Values.externalEtcd.clientCertificate }}
    - --etcd-certfile=/etc/management-apiserver/etcd/tls.crt
    - --etcd-keyfile=/etc/management-apiserver/etcd/tls.key
    {{- end }}
    {{- end }}
  securityContext:
    {{- include "management.containerSecurity" $root | nindent 4 }}
  resources:
    requests:
      cpu: 50m
      memory: 128Mi
    limits:
      memory: 512Mi
  volumeMounts:
    - name: backup
      mountPath: /backup
    {{- include "management.keyMounts" $root | nindent 4 }}
    {{- if $backup.passphraseSecretName }}
    - name: passphrase
      mountPath: /etc/management-apiserver/backup
      readOnly: true
    {{- end }}
    {{- if $etcdTls }}
    - name: etcd-tls
      mountPath: /etc/management-apiserver/etcd
      readOnly: true
    {{- end }}
{{- end -}}

{{- define "management.backupVolumes" -}}
{{- $etcdTls := include "management.etcdTls" . -}}
- name: backup
  persistentVolumeClaim:
    claimName: {{ required "backup.claimName must name a PersistentVolumeClaim where backup.enabled is true" .Values.backup.claimName }}
{{ include "management.keyVolumes" . }}
{{- with .Values.backup.passphraseSecretName }}
- name: passphrase
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      - key: passphrase
        path: passphrase
{{- end }}
{{- if eq $etcdTls "own" }}
- name: etcd-tls
  secret:
    secretName: {{ include "management.etcdSecret" . }}
    defaultMode: 0440
    items:
      - key: ca.crt
        path: ca.crt
      - key: client.crt
        path: tls.crt
      - key: client.key
        path: tls.key
{{- else if $etcdTls }}
- name: etcd-tls
  secret:
    secretName: {{ .Values.externalEtcd.tlsSecretName }}
    defaultMode: 0440
{{- end }}
{{- end -}}
