{{- define "operator.name" -}}
{{ default "ganscale-operator" .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "operator.selector" -}}
app.kubernetes.io/name: ganscale-operator
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end }}

{{- define "operator.testSelector" -}}
app.kubernetes.io/name: ganscale-operator-test
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end }}

{{/* A text that ends with a version, as the value of a label, which can't have the + that Flux adds to a chart's version. */}}
{{- define "operator.labelValue" -}}
{{ regexReplaceAll "[^A-Za-z0-9]+$" (. | replace "+" "_" | trunc 63) "" }}
{{- end }}

{{- define "operator.labels" -}}
{{ include "operator.selector" . }}
app.kubernetes.io/version: {{ include "operator.labelValue" .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ include "operator.labelValue" (printf "%s-%s" .Chart.Name .Chart.Version) }}
{{- end }}

{{/* operator.labels of `root`, and `more` of the user's, which come first. */}}
{{- define "operator.labelsWith" -}}
{{- toYaml (merge (deepCopy (default dict .more)) (include "operator.labels" .root | fromYaml)) }}
{{- end }}

{{- define "operator.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ toYaml . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "operator.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "operator.name" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{/* A tag can't have a + either; Helm's own tags of charts have a _ in its place, too. */}}
{{- define "operator.tag" -}}
{{ default (.Chart.AppVersion | replace "+" "_") .Values.image.tag }}
{{- end }}

{{- define "operator.image" -}}
{{- with .Values.image -}}
{{- if not .repository -}}
{{- fail ("\n\nimage.repository is empty. No public registry has the images: build and push both, then name yours (docs/tutorial-cluster.md):\n  docker build -f docker/worker.Dockerfile -t REGISTRY/ganscale:VERSION . && docker push REGISTRY/ganscale:VERSION\n  docker build -f docker/operator.Dockerfile -t REGISTRY/ganscale-operator:VERSION . && docker push REGISTRY/ganscale-operator:VERSION\n  helm ... --set image.repository=REGISTRY/ganscale-operator\n" | replace "VERSION" (include "operator.tag" $)) }}
{{- end -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ include "operator.tag" $ }}{{ end }}
{{- end -}}
{{- end }}

{{/* The worker's image in the operator's registry, if it was pushed there. */}}
{{- define "operator.workerRepository" -}}
{{ regexReplaceAll "[^/]*$" .Values.image.repository "ganscale" }}
{{- end }}

{{/* In the repository, files/crd, files/rbac and files/policy are symbolic links; helm package writes out what they point to. */}}
{{- define "operator.checkFiles" -}}
{{- if not (.Files.Get "files/rbac/operator.yaml") }}
{{- fail "\n\nThis copy of the chart lacks the folders files/crd, files/rbac and files/policy: what made it does not follow symbolic links.\nUse the packaged chart: helm package helm/ganscale-operator\n" }}
{{- end }}
{{- end }}

{{/* A cluster answers lookups; helm template and helm lint have none. Who installs nothing cluster-wide may not read outside of a namespace. */}}
{{- define "operator.checkCluster" -}}
{{- $clusterWide := or .Values.crds.install .Values.rbac.create .Values.rbac.users }}
{{- if lookup "v1" "Namespace" "" (ternary "kube-system" .Release.Namespace $clusterWide) }}
{{- if and .Values.requireMpiOperator (not (.Capabilities.APIVersions.Has "kubeflow.org/v2beta1/MPIJob")) }}
{{- fail "\n\nThis cluster has no Kubeflow MPI Operator (no API kubeflow.org/v2beta1, kind MPIJob), and ganscale runs its trainings as MPIJobs.\nInstall it first: https://github.com/kubeflow/mpi-operator (v0.8.2 is tested), or set requireMpiOperator=false to install it later.\n" }}
{{- end }}
{{- include "operator.checkOthers" (dict "root" . "namespace" (ternary "" .Release.Namespace $clusterWide)) }}
{{- if $clusterWide }}
{{- range without (default list .Values.trainingNamespaces) .Release.Namespace }}
{{- if not (lookup "v1" "Namespace" "" .) }}
{{- fail (printf "\n\ntrainingNamespaces: this cluster has no namespace %s. Create it first: kubectl create namespace %s\n" . .) }}
{{- end }}
{{- end }}
{{- if and .Release.IsUpgrade (not .Values.crds.install) }}
{{- include "operator.checkDefinitions" . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Two operators that watch the same namespace act against each other: each leads by its own Lease. Of those in `namespace`, or in all if
it is empty, the ones of `root`'s release and those without replicas don't count. */}}
{{- define "operator.checkOthers" -}}
{{- $release := .root.Release }}
{{- $values := .root.Values }}
{{- range dig "items" list (lookup "apps/v1" "Deployment" .namespace "") }}
{{- $labels := default dict .metadata.labels }}
{{- $isOurs := and (eq .metadata.namespace $release.Namespace) (eq (get $labels "app.kubernetes.io/instance") $release.Name) }}
{{- if and (eq (get $labels "app.kubernetes.io/name") "ganscale-operator") (not $isOurs) (gt (int .spec.replicas) 0) }}
{{- $args := dig "args" list (first .spec.template.spec.containers) | join " " }}
{{- $watched := regexFind "--watch-namespaces=[^ ]+" $args | trimPrefix "--watch-namespaces=" }}
{{- $isShared := or (not $watched) $values.operator.watchAllNamespaces }}
{{- range splitList "," $watched }}
{{- $isShared = or $isShared (has . (default list $values.trainingNamespaces)) }}
{{- end }}
{{- if $isShared }}
{{- fail (printf "\n\nThe Deployment %s in the namespace %s is another ganscale operator, which watches %s. Two operators that watch the same namespace act against each other.\nUninstall the other one or scale it to 0, or separate the two: both need operator.watchAllNamespaces=false, and no namespace may be in the trainingNamespaces of both.\n" .metadata.name .metadata.namespace (default "all namespaces" $watched)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* An upgrade deletes what the chart does not have anymore, unless the object itself says that it is to be kept. */}}
{{- define "operator.checkDefinitions" -}}
{{- $definition := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "gantrainings.ganscale.dev" | default dict }}
{{- $annotations := dig "metadata" "annotations" dict $definition }}
{{- $ours := and (eq (get $annotations "meta.helm.sh/release-name") .Release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") .Release.Namespace) }}
{{- if and $ours (ne (get $annotations "helm.sh/resource-policy") "keep") }}
{{- fail "\n\ncrds.install=false would delete the CustomResourceDefinitions, and every GanTraining with them, since this release was installed with crds.keep=false.\nFirst: helm upgrade ... --set crds.install=true --set crds.keep=true\n" }}
{{- end }}
{{- end }}
