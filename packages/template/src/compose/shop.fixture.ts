/** A Compose file with many features of real ones. */
export const SHOP = `# slogan: A shop for seeds.
# documentation: https://example.org/docs
# category: Online Shop
# tags: shop, seeds
name: shop
x-logging: &restart {restart: unless-stopped}
services:
  web:
    <<: *restart
    image: registry.example.org/shop/web:\${TAG:-2.4.1}
    container_name: shop_web
    command: node server.js --title "Seeds & more" --port 3000
    ports:
      - "8080:3000"
      - target: 9000
        published: "9443"
        protocol: udp
    expose: [3001]
    environment:
      DATABASE_URL: postgres://shop:meadow-42@shop_db:5432/shop
      SESSION_SECRET: \${SESSION_SECRET:-changeme-please}
      CURRENCY: \${CURRENCY:-EUR}
      SMTP_HOST: \${SMTP_HOST}
      SMTP_PASSWORD: \${SMTP_PASSWORD:-}
      LICENSE: \${LICENSE:?the licence you were sent}
      GREETING: \${GREETING:-\${DEFAULT_GREETING:-hello}}
      DEBUG: no
      PRICE: $$5
      PASSED_ON:
    depends_on:
      shop_db: {condition: service_healthy}
      migrate: {condition: service_completed_successfully}
    volumes:
      - uploads:/srv/uploads
      - ./pages:/srv/pages:ro
      - ./site.conf:/etc/site.conf:ro
      - type: tmpfs
        target: /tmp
        tmpfs: {size: 64m}
    healthcheck:
      test: ["CMD", "wget", "-q", "http://127.0.0.1:3000/"]
      interval: 1m30s
      retries: 5
    deploy:
      resources: {limits: {cpus: "0.5", memory: 512m}}
  shop_db:
    image: postgres:17.5
    environment:
      - POSTGRES_USER=shop
      - POSTGRES_PASSWORD=meadow-42
    healthcheck: {test: pg_isready -U $$POSTGRES_USER, timeout: 2s}
    volumes: [rows:/var/lib/postgresql/data]
    ulimits: {nofile: {soft: 1024, hard: 4096}}
  migrate:
    image: registry.example.org/shop/web:\${TAG:-2.4.1}
    command: [node, migrate.js]
    restart: "no"
    depends_on: {shop_db: {condition: service_healthy}}
volumes:
  uploads:
  rows:
`;
