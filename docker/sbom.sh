#!/bin/sh
# Writes an SPDX 2.3 bill of materials (tag-value) of an image.
#   sbom.sh NAME VERSION < "package version" lines of Debian; wheels as "wheel:name version"
set -eu
name=$1 version=$2
cat <<HEAD
SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: $name-$version
DocumentNamespace: https://ganscale.dev/spdx/$name-$version
Creator: Tool: ganscale docker/sbom.sh
Created: $(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)

PackageName: $name
SPDXID: SPDXRef-$name
PackageVersion: $version
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: false
PackageLicenseDeclared: Apache-2.0
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-$name
HEAD
. /etc/os-release
while read -r package package_version; do
  case $package in
    wheel:*) package=${package#wheel:} url="pkg:pypi/$package@$package_version" ;;
    *) url="pkg:deb/$ID/$package@$package_version" ;;
  esac
  id=SPDXRef-$(echo "$package" | sed 's/[^A-Za-z0-9.-]/-/g')
  cat <<PACKAGE

PackageName: $package
SPDXID: $id
PackageVersion: $package_version
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: false
ExternalRef: PACKAGE-MANAGER purl $url
Relationship: SPDXRef-$name CONTAINS $id
PACKAGE
done
