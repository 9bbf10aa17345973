# The command `millicron`, and nothing else. Copy it into the image that has the commands to run:
#
#     COPY --from=millicron /millicron /usr/local/bin/
#
# `docker build --tag millicron .` compiles it. A release instead takes the binary that `scripts/package-cli` has tried:
# `--build-context build=target/x86_64-unknown-linux-musl/dist`.
FROM rust:1.95-alpine AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package millicron-cli --features full && mv target/dist/millicron /

FROM scratch
COPY --from=build /millicron /millicron
USER 65534:65534
ENTRYPOINT ["/millicron"]
