{{/* What the Pods of backups have in common: the CronJob that makes them, the Deployment of their log, and the Job of a restore. */}}

{{/* The file or folder in the volume that etcd is restored from; empty: it is not. */}}
{{- define "management.restoreFrom" -}}
{{- $restore := default dict .Values.restore -}}
{{- if and $restore.from .Values.server.adoptStore }}{{ fail "restore.from and server.adoptStore exclude each other: first restore, then start the servers with server.adoptStore" }}{{ end -}}
{{- if and $restore.from $restore.claimName $restore.secretName }}{{ fail "restore.claimName and restore.secretName exclude each other" }}{{ end -}}
{{- default "" $restore.from -}}
{{- end -}}

{{/* The components that use etcd for backups, with a space between. */}}
{{- define "management.backupParts" -}}
{{- $backup := default dict .Values.backup -}}
{{- if and $backup.log (not $backup.enabled) }}{{ fail "backup.log requires backup.enabled" }}{{ end -}}
{{- if $backup.enabled }}backup{{ if $backup.log }} backup-log{{ end }}{{ end }}{{ if include "management.restoreFrom" . }} restore{{ end -}}
{{- end -}}

{{/* A container that runs `backup` or `restore`. Called with a list: the root, its name, the arguments. */}}
{{- define "management.backupContainer" -}}
{{- $root := index . 0 -}}
{{- $backup := default dict $root.Values.backup -}}
{{- $restores := eq (index . 1) "restore" -}}
{{- $etcdTls := include "management.etcdTls" $root -}}
{{- if and $backup.recipients $backup.passphraseSecretName }}{{ fail "backup.recipients and backup.passphraseSecretName exclude each other" }}{{ end -}}
- name: {{ index . 1 }}
  image: {{ include "management.image" $root }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  args:
    {{- range index . 2 }}
    - {{ . }}
    {{- end }}
    {{- if $restores }}
    {{- if $root.Values.restore.identitySecretName }}
    - --identity-file=/etc/management-apiserver/identity/identity
    {{- end }}
    {{- else if $backup.recipients }}
    - --recipient={{ join "," $backup.recipients }}
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
      {{- if $restores }}
      readOnly: true
      {{- end }}
    {{- include "management.keyMounts" $root | nindent 4 }}
    {{- if $backup.passphraseSecretName }}
    - name: passphrase
      mountPath: /etc/management-apiserver/backup
      readOnly: true
    {{- end }}
    {{- if and $restores $root.Values.restore.identitySecretName }}
    - name: identity
      mountPath: /etc/management-apiserver/identity
      readOnly: true
    {{- end }}
    {{- if $etcdTls }}
    - name: etcd-tls
      mountPath: /etc/management-apiserver/etcd
      readOnly: true
    {{- end }}
{{- end -}}

{{- define "management.backupVolumes" -}}
- name: backup
  persistentVolumeClaim:
    claimName: {{ required "backup.claimName must name a PersistentVolumeClaim where backup.enabled is true" .Values.backup.claimName }}
{{ include "management.storeVolumes" . }}
{{- end -}}

{{- define "management.restoreVolumes" -}}
{{- $restore := .Values.restore -}}
- name: backup
  {{- if $restore.secretName }}
  secret:
    secretName: {{ $restore.secretName }}
    defaultMode: 0440
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ default (default dict .Values.backup).claimName $restore.claimName | required "restore.claimName or restore.secretName must name what the backup is in" }}
  {{- end }}
{{- with $restore.identitySecretName }}
- name: identity
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      - key: identity
        path: identity
{{- end }}
{{ include "management.storeVolumes" . }}
{{- end -}}

{{/* What a container of backups mounts besides the backup. */}}
{{- define "management.storeVolumes" -}}
{{- $etcdTls := include "management.etcdTls" . -}}
{{ include "management.keyVolumes" . }}
{{- with (default dict .Values.backup).passphraseSecretName }}
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

{{/* Called with a list: the root, the arguments. */}}
{{- define "management.restorePod" -}}
{{- $root := index . 0 -}}
restartPolicy: Never
serviceAccountName: {{ include "management.serviceAccount" $root }}
# For the keys, which come out of a Secret.
automountServiceAccountToken: true
enableServiceLinks: false
securityContext:
  {{- include "management.keyUserSecurity" $root | nindent 2 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
initContainers:
  {{- include "management.encryptionKey" $root | nindent 2 }}
  {{- with include "management.kmsSidecar" $root }}
  {{- . | nindent 2 }}
  {{- end }}
containers:
  {{- include "management.backupContainer" (list $root "restore" (index . 1)) | nindent 2 }}
volumes:
  {{- include "management.restoreVolumes" $root | nindent 2 }}
{{- end -}}
