interface Parts {
  /** How many numbers a complete version has. */
  readonly parts: number;
  readonly reason: string;
}

/** Numbers of a complete version, unless `versionParts` says otherwise. */
export const USUAL_PARTS = 3;

const two = (reason: string): Parts => ({ parts: 2, reason });
const single = (reason: string): Parts => ({ parts: 1, reason });

/** Repositories whose releases have fewer than three numbers. */
export const versionParts: Readonly<Record<string, Parts>> = {
  'docker.io/agent0ai/agent-zero': two('releases are v1.9, v2.10'),
  'docker.io/appsmith/appsmith-ce': two('releases are v2.3; a third number is a correction'),
  'docker.io/appsmith/appsmith-ee': two('releases are v1.94; a third number is a correction'),
  'docker.io/btcpayserver/postgres': two('PostgreSQL has two numbers since version 10'),
  'docker.io/chrislusf/seaweedfs': two('releases are 4.41'),
  'docker.io/dockurr/macos': two('releases are 1.14'),
  'docker.io/dockurr/windows': two('releases are 6.04'),
  'docker.io/dpage/pgadmin4': two('releases are 9.16'),
  'docker.io/healthchecks/healthchecks': two('releases are v4.2'),
  'docker.io/imresamu/postgis': single(
    'tags name the major version of PostgreSQL and the minor version of PostGIS only',
  ),
  'docker.io/library/postgres': two('PostgreSQL has two numbers since version 10'),
  'docker.io/lncm/bitcoind': two('releases are v28.0; a third number is a correction'),
  'docker.io/pgautoupgrade/pgautoupgrade': two('PostgreSQL has two numbers since version 10'),
  'docker.io/postgis/postgis': single(
    'tags name the major version of PostgreSQL and the minor version of PostGIS only',
  ),
  'docker.io/postgrest/postgrest': two('releases are v14.12 since version 14'),
  'docker.io/typesense/typesense': two('releases are 30.2'),
  'docker.io/ubuntu/squid': two('tags name a version and a release of Ubuntu, such as 6.6-24.04_beta'),
  'docker.io/zoeyvid/npmplus': single('releases are counted: 449'),
  'gcr.io/zenika-hub/alpine-chrome': single('tags name the major version of Chromium only'),
  'ghcr.io/danielbrendel/hortusfox-web': two('releases are v5.9'),
  'ghcr.io/immich-app/postgres': single('tags name the major version of PostgreSQL and the versions of its extensions'),
};
