"""The contents of an image that `buildah push docker-archive:FILE` wrote."""
import json
import tarfile


class ImageFile:
    """An image in a file, read completely by the constructor."""

    def __init__(self, path):
        self.size_bytes = path.stat().st_size
        self.names, self.texts = set(), {}
        with tarfile.open(path) as archive:
            [manifest] = json.load(archive.extractfile("manifest.json"))
            self.config = json.load(archive.extractfile(manifest["Config"]))["config"]
            for layer in manifest["Layers"]:
                self._read_layer(archive.extractfile(layer))

    def _read_layer(self, file):
        with tarfile.open(fileobj=file) as layer:
            for entry in layer:
                if not entry.isfile():
                    continue
                name = entry.name.lstrip("./")
                self.names.add(name)
                if name.endswith(".spdx"):
                    self.texts[name] = layer.extractfile(entry).read().decode()

    def read(self, name):
        """Returns the text of a file as containers see it; of bills of materials alone."""
        return self.texts[name]
