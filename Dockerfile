# The command `millicron`, with its licenses and those of what is compiled into it, and nothing else. Copy it into the
# image that has the commands to run:
#
#     COPY --from=millicron /millicron /usr/local/bin/
#
# `docker build --tag millicron .` compiles it. A release instead takes what `scripts/package-cli` has built and tried:
# `--build-context build=target/x86_64-unknown-linux-musl/dist`.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache python3
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package millicron-cli --features full && mv target/dist/millicron / \
    && scripts/third-party "$(rustc --print host-tuple)" >/THIRD-PARTY

FROM scratch
COPY --from=build /millicron /THIRD-PARTY /
COPY LICENSE-APACHE LICENSE-MIT /
USER 65534:65534
ENTRYPOINT ["/millicron"]
