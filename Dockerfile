# The installed tools in a small image:  docker build -t vta-sdk . && docker run --rm -v "$PWD:/work" vta-sdk vta-run --help
#
# The first stage builds the Debian packages from this tree, which takes a quarter of an hour on two cores;
# the second one installs them.
FROM debian:12 AS build
COPY . /source
RUN /source/scripts/build && cd /source/build && cpack -B /packages

FROM debian:12
COPY --from=build /packages/*.deb /packages/
# What --sim=rtl builds its models with is included.
RUN apt-get update \
 && apt-get install -y --no-install-recommends /packages/*.deb verilator make g++ \
 && rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
CMD ["vta-run", "--help"]
