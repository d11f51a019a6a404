# The service in a container. Without DATABASE_URL it runs its own PostgreSQL and keeps all data in /var/lib/orrery:
#   docker build --tag orrery . && docker run --publish 127.0.0.1:4610:4610 --volume orrery:/var/lib/orrery orrery
# compose.yaml runs it beside a PostgreSQL server.

# Node 24 is the newest release that we test on: `npm run smoke`, a part of every run of CI, starts the service on exactly this
# version. It is supported until April 2028. The digest is that of its images for amd64 and arm64 together, as
# `docker buildx imagetools inspect node:24.21.0-bookworm-slim` prints it. Change it together with the tag, and with the
# version in smoke/package.json.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

# The program, built with the development tools.
FROM base AS program
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY LICENSE tsconfig.json tsconfig.client.json ./
COPY scripts scripts
COPY bin bin
COPY docs docs
COPY client client
COPY console console
COPY demo demo
COPY src src
RUN npm run build

# The packages needed at run time, without the development tools. They include the PostgreSQL of this platform, whose
# install script links its libraries.
FROM base AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
RUN npm ci --omit=dev

FROM base
# PostgreSQL refuses to run as root, and requires a user with a name.
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/orrery --shell /usr/sbin/nologin orrery \
  && install --directory --mode 0700 --owner orrery --group orrery /var/lib/orrery
WORKDIR /app
COPY package.json LICENSE ./
COPY bin bin
COPY --from=packages /app/node_modules node_modules
COPY --from=program /app/dist dist
ENV NODE_ENV=production ORRERY_DATA_DIR=/var/lib/orrery
USER orrery
VOLUME /var/lib/orrery
EXPOSE 4610
STOPSIGNAL SIGTERM
# The image has Node, but not curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4610/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The program is the main process of the container, so it receives the container's signals.
ENTRYPOINT ["node", "bin/orrery"]
CMD ["serve", "--host", "0.0.0.0", "--port", "4610"]
