{{/* The spec of the GanTraining; of a sweep without what the sweep decides. toYaml keeps "256" a text, and 2592000 a whole number. */}}
{{- define "training.spec" -}}
{{- if not .Values.sweep }}
nodes: {{ .Values.nodes }}
{{- end }}
{{- if .Values.node }}
node: {{- toYaml .Values.node | nindent 2 }}
{{- else }}
nodeProfile: {{ required "\n\nnodeProfile is empty: name one, or write one out in node.\n" .Values.nodeProfile | toYaml }}
{{- end }}
{{- if and .Values.gpusPerNode (not .Values.sweep) }}
gpusPerNode: {{ .Values.gpusPerNode }}
{{- end }}
{{- if not (kindIs "invalid" .Values.preflight) }}
preflight: {{ .Values.preflight }}
{{- end }}
image: {{ include "training.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.podTemplate }}
podTemplate: {{- toYaml . | nindent 2 }}
{{- end }}
config: {{- include "training.config" . | nindent 2 }}
{{- with .Values.evaluation }}
evaluation: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.data }}
{{- if .claimName }}
data:
  claimName: {{ toYaml .claimName }}
  path: {{ .path }}
  {{- with .subPath }}
  subPath: {{ toYaml . }}
  {{- end }}
{{- end }}
{{- end }}
{{- if include "training.hasStorage" . }}
storage:
  claimName: {{ include "training.claim" . | toYaml }}
  path: {{ .Values.storage.path }}
  {{- with .Values.storage.subPath }}
  subPath: {{ toYaml . }}
  {{- end }}
{{- end }}
{{- if not .Values.sweep }}
suspend: {{ .Values.suspend }}
{{- end }}
{{- $restarts := dict }}
{{- range $key, $value := .Values.restartPolicy }}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $restarts $key $value }}{{ end }}
{{- end }}
{{- with $restarts }}
restartPolicy: {{- toYaml . | nindent 2 }}
{{- end }}
checkpointDeadlineSeconds: {{ .Values.checkpointDeadlineSeconds }}
{{- with .Values.deletePolicy }}
deletePolicy: {{ . }}
{{- end }}
{{- if not (or .Values.sweep (kindIs "invalid" .Values.ttlSecondsAfterFinished)) }}
ttlSecondsAfterFinished: {{ toYaml .Values.ttlSecondsAfterFinished }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ toYaml . }}
{{- end }}
{{- with .Values.queueName }}
queueName: {{ toYaml . }}
{{- end }}
{{- with .Values.schedulerName }}
schedulerName: {{ toYaml . }}
{{- end }}
{{- with .Values.schedulingDeadlineSeconds }}
schedulingDeadlineSeconds: {{ . }}
{{- end }}
{{- with .Values.progressDeadlineSeconds }}
progressDeadlineSeconds: {{ . }}
{{- end }}
{{- with .Values.topology }}
topology: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
