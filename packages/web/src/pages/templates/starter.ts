/** Text of a new template: the smallest one that is useful, with the parts that people look for first. */
export const STARTER = `slug: first-page
name: First page
description: A page of your own.
version: 1.0.0
archetype: application
taxonomy:
  kingdom: applications
  family: website
image:
  repository: docker.io/library/nginx
  tag: 1.29.2
inputs:
  required:
    - name: WEB_HOSTNAME
      type: domain
      label: Address of the site
routes:
  - name: web
    port: 80
    host: \${inputs.WEB_HOSTNAME}
    primary: true
healthcheck:
  http:
    port: 80
`;
