{{- define "training.claim" -}}
{{ default (printf "%s-runs" .Release.Name) .Values.storage.claimName }}
{{- end }}

{{/* "true", or empty: a run of a sweep of mode Strong or Weak restarts from the beginning after an interruption. */}}
{{- define "training.hasStorage" -}}
{{- if and .Values.storage.enabled (or (not .Values.sweep) (eq (dig "mode" "" (default dict .Values.sweep)) "PerLabel")) }}true{{ end }}
{{- end }}

{{/* A tag can't have the + of a version; Helm's own tags of charts have a _ in its place, too. */}}
{{- define "training.tag" -}}
{{ default (.Chart.AppVersion | replace "+" "_") .Values.image.tag }}
{{- end }}

{{- define "training.image" -}}
{{- with .Values.image -}}
{{- if not .repository -}}
{{- fail ("\n\nimage.repository is empty. No public registry has the image: build and push it, then name yours (docs/tutorial-cluster.md):\n  docker build -f docker/worker.Dockerfile -t REGISTRY/ganscale:VERSION . && docker push REGISTRY/ganscale:VERSION\n  helm ... --set image.repository=REGISTRY/ganscale\n" | replace "VERSION" (include "training.tag" $)) }}
{{- end -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ include "training.tag" $ }}{{ end }}
{{- end -}}
{{- end }}

{{/* The worker's configuration: the named file of configs/runs, then the values of settings. */}}
{{- define "training.config" -}}
{{- $config := dict }}
{{- with .Values.config }}
{{- $file := $.Files.Get (printf "files/runs/%s.yaml" .) }}
{{- if not $file }}
{{- $known := list }}
{{- range $path, $ignored := $.Files.Glob "files/runs/**.yaml" }}
{{- $known = append $known ($path | trimPrefix "files/runs/" | trimSuffix ".yaml") }}
{{- end }}
{{- if not $known }}
{{- fail "\n\nThis copy of the chart lacks the folder files/runs: what made it does not follow symbolic links.\nUse the packaged chart: helm package helm/ganscale-training\n" }}
{{- end }}
{{- fail (printf "\n\nconfig: there is no run configuration named %s. Known: %s. Or leave config empty and write one out under settings.\n" . (join ", " $known)) }}
{{- end }}
{{- $config = fromYaml $file }}
{{- /* Ports and the path of data are a pod's, not those of the machine that the file was written for. */}}
{{- $_ := unset $config "telemetry" }}
{{- if hasKey $config "data" }}{{ $_ := unset $config.data "path" }}{{ end }}
{{- end }}
{{- $settings := deepCopy (default dict .Values.settings) }}
{{- include "training.removeNulls" (dict "config" $config "settings" $settings) }}
{{- $config = mergeOverwrite $config $settings }}
{{- if not (hasKey $config "model") }}
{{- fail "\n\nThere is nothing to train: name a run configuration (config), or write one out (settings.model, ...).\n" }}
{{- end }}
{{- /* A weak sweep decides the batch by its ranks: that of a named configuration was one for a training. */}}
{{- if eq (dig "mode" "" (default dict .Values.sweep)) "Weak" }}
{{- $training := get $settings "training" }}
{{- if and (kindIs "map" $training) (hasKey $training "batch") }}
{{- fail "\n\nsettings.training.batch: has no effect with a weak sweep; use sweep.batchPerRank.\n" }}
{{- end }}
{{- if kindIs "map" (get $config "training") }}{{ $_ := unset $config.training "batch" }}{{ end }}
{{- end }}
{{- toYaml $config }}
{{- end }}

{{/* Removes from the configuration, and from settings, each key that settings have a null for. */}}
{{- define "training.removeNulls" -}}
{{- $config := .config }}
{{- $settings := .settings }}
{{- range $key := keys $settings }}
{{- $value := get $settings $key }}
{{- $old := get $config $key }}
{{- if kindIs "invalid" $value }}
{{- $_ := unset $config $key }}
{{- $_ := unset $settings $key }}
{{- else if kindIs "map" $value }}
{{- include "training.removeNulls" (dict "config" (kindIs "map" $old | ternary $old dict) "settings" $value) }}
{{- end }}
{{- end }}
{{- end }}

{{/* A sweep decides these values: what a user set of them would be lost without a word. */}}
{{- define "training.checkSweep" -}}
{{- if .Values.sweep }}
{{- $lost := dict }}
{{- if ne (int .Values.nodes) 1 }}{{ $_ := set $lost "nodes" "sweep.points" }}{{ end }}
{{- if .Values.gpusPerNode }}{{ $_ := set $lost "gpusPerNode" "sweep.points" }}{{ end }}
{{- if .Values.suspend }}{{ $_ := set $lost "suspend" "sweep.suspend" }}{{ end }}
{{- if not (kindIs "invalid" .Values.ttlSecondsAfterFinished) }}{{ $_ := set $lost "ttlSecondsAfterFinished" "sweep.ttlSecondsAfterFinished" }}{{ end }}
{{- range $name, $instead := $lost }}
{{- fail (printf "\n\n%s: has no effect with sweep; use %s.\n" $name $instead) }}
{{- end }}
{{- end }}
{{- end }}

{{/* A cluster answers lookups; helm template and helm lint have none. Asks for nothing that the role edit may not read. */}}
{{- define "training.checkCluster" -}}
{{- if lookup "v1" "Namespace" "" .Release.Namespace }}
{{- if not (.Capabilities.APIVersions.Has "ganscale.dev/v1alpha1/GanTraining") }}
{{- fail (printf "\n\nThis cluster has no ganscale operator (no API ganscale.dev/v1alpha1). Install it first:\n  helm install ganscale helm/ganscale-operator -n ganscale-system --create-namespace \\\n    --set image.repository=REGISTRY/ganscale-operator --set 'trainingNamespaces={%s}'\n" .Release.Namespace) }}
{{- end }}
{{- with .Values.data.claimName }}
{{- if not (lookup "v1" "PersistentVolumeClaim" $.Release.Namespace .) }}
{{- fail (printf "\n\ndata.claimName: the namespace %s has no PersistentVolumeClaim named %s. Create one with the dataset on it (docs/tutorial-cluster.md), or set data.claimName.\n" $.Release.Namespace .) }}
{{- end }}
{{- end }}
{{- with dig "featureNet" "claimName" "" (default dict .Values.evaluation) }}
{{- if not (lookup "v1" "PersistentVolumeClaim" $.Release.Namespace .) }}
{{- fail (printf "\n\nevaluation.featureNet.claimName: the namespace %s has no PersistentVolumeClaim named %s. Create one with the feature network on it (docs/kubernetes.md).\n" $.Release.Namespace .) }}
{{- end }}
{{- end }}
{{- with and (include "training.hasStorage" .) .Values.storage.claimName }}
{{- if not (lookup "v1" "PersistentVolumeClaim" $.Release.Namespace .) }}
{{- fail (printf "\n\nstorage.claimName: the namespace %s has no PersistentVolumeClaim named %s. Leave storage.claimName empty to create one.\n" $.Release.Namespace .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "training.labels" -}}
{{- /* The value of a label can't have the + that Flux adds to a chart's version. */}}
{{- $chart := regexReplaceAll "[^A-Za-z0-9]+$" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63) "" }}
{{- $ours := dict "app.kubernetes.io/instance" .Release.Name "app.kubernetes.io/managed-by" .Release.Service "helm.sh/chart" $chart }}
{{- toYaml (merge $ours (default dict .Values.labels)) }}
{{- end }}
