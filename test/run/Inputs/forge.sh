# forge.sh INPUTS DIR [RELEASE]: DIR/bin/nvlink answers as that release's, and otherwise says that it was started.
mkdir -p "$2/bin" && sed "s/RELEASE/${3:-13.0.88}/" "$1/nvlink.sh" >"$2/bin/nvlink" && chmod +x "$2/bin/nvlink"
