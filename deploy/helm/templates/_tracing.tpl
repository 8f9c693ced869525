{{/* The collector, where requests are traced. Values of an earlier release have none. */}}
{{- define "management.tracingEndpoint" -}}
{{- dig "endpoint" "" (default dict .Values.tracing) | default "" -}}
{{- end -}}

{{- define "management.tracingConfigMap" -}}
{{- printf "%s-tracing" (include "management.name" .) -}}
{{- end -}}

{{/* The files of the ConfigMap. */}}
{{- define "management.tracingFiles" -}}
{{- $tracing := default dict .Values.tracing -}}
{{- $config := dict "apiVersion" "apiserver.config.k8s.io/v1" "kind" "TracingConfiguration" -}}
{{- $config = set $config "endpoint" (include "management.tracingEndpoint" .) -}}
{{- $config = set $config "samplingRatePerMillion" (dig "samplingRatePerMillion" 1000 $tracing | int) -}}
tracing.yaml: |
  {{- toYaml $config | nindent 2 }}
{{- with $tracing.authority }}
ca.crt: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* The port that the collector is connected to at. */}}
{{- define "management.tracingPort" -}}
{{- $endpoint := include "management.tracingEndpoint" . -}}
{{- $host := regexReplaceAll "^https?://" $endpoint "" | regexFind "^[^/]*" -}}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" -}}
{{- default (ternary "443" "80" (hasPrefix "https://" $endpoint)) $port -}}
{{- end -}}

{{/* Variables that OpenTelemetry's exporter reads. */}}
{{- define "management.tracingVariables" -}}
{{- if include "management.tracingEndpoint" . -}}
{{- with .Values.tracing.headersSecretName }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: headers
{{- end }}
{{- if .Values.tracing.authority }}
- name: OTEL_EXPORTER_OTLP_CERTIFICATE
  value: /etc/management-apiserver/tracing/ca.crt
{{- end }}
{{- end -}}
{{- end -}}
