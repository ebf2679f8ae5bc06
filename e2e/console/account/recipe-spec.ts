/** A small valid template with a version and an image tag of its own. */
export const recipeSpec = (slug: string, version: string, tag: string): string => `slug: ${slug}
name: Inkwell
description: A blog for one.
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: blog, tags: [blog]}
image: {repository: docker.io/library/nginx, tag: "${tag}"}
inputs:
  required:
    - {name: WEB_HOSTNAME, type: domain, label: Address}
routes:
  - {name: web, port: 80, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: auto, primary: true}
healthcheck: {http: {port: 80, path: /}, interval: 10s, timeout: 5s, retries: 3, start_period: 5s}
resources: {cpu: "0.25", memory: 64Mi}
`;
