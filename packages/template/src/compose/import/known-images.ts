/**
 * Ports on which well-known images answer HTTP, for files that leave that to a reverse proxy or to other files of a store. Names are
 * without registry and tag.
 */
const BY_PORT: Readonly<Record<number, string>> = {
  80: `
    80x86/typecho activepieces/activepieces adamzammit/limesurvey advplyr/audiobookshelf akaunting/akaunting
    alextselegidis/easyappointments appflowyinc/appflowy_web appsmith/appsmith-ce appsmith/appsmith-ee appwrite/appwrite
    appwrite/console autobase/console autobase/console_ui basecamp/fizzy baserow/baserow billmora/billmora
    binwiederhier/ntfy booklore/booklore civilblur/mazanoke cockpithq/cockpit codewithcj/sparkyfitness corentinth/it-tools
    danielbrendel/hortusfox-web daveearley/hi.events-all-in-one diouxx/glpi dolibarr/dolibarr dpage/pgadmin4 drupal
    elestio/glpi emersion/gamja espocrm/espocrm excalidraw/excalidraw filebrowser/filebrowser filerun/filerun
    freshrss/freshrss gchq/cyberchef gitlab/gitlab-ce gitlab/gitlab-ee glpi/glpi gotify/server grimmory/grimmory
    hatchet/hatchet-dashboard httpd inovector/mixpost invoiceninja/invoiceninja invoiceshelf/invoiceshelf jitsi/web joomla
    kanboard/kanboard linkstackorg/linkstack linuxserver/bookstack linuxserver/budge linuxserver/dokuwiki
    linuxserver/grocy linuxserver/heimdall linuxserver/phpmyadmin linuxserver/snapdrop makeplane/plane-proxy
    marckohlbrugge/sessy matomo mautic/mautic mbixtech/observium mediawiki neondatabase/wsproxy nextcloud nginx
    onlyoffice/documentserver orangehrm/orangehrm organizr/organizr passbolt/passbolt paymenter/paymenter
    photoview/photoview phpmyadmin phpmyadmin/phpmyadmin pihole/pihole pterodactyl/panel pubuzhixing/drawnix
    pyrodactyl-oss/pyrodactyl rabithua/rote-frontend redimp/otterwiki roundcube/roundcubemail seafileltd/seafile-mc
    taigaio/taiga-front tiredofit/freescout tiredofit/osticket useplunk/plunk vaultwarden/server vert-sh/vert
    vvveb/vvvebcms wordpress zcag/tela-proxy zulip/docker-zulip zulip/zulip-server
  `,
  81: 'botpress/server jc21/nginx-proxy-manager',
  82: 'librespeed/speedtest',
  443: 'linuxserver/nextcloud linuxserver/swag',
  1111: 'blinkospace/blinko',
  1200: 'diygod/rsshub',
  1337: 'elestio/strapi-production strapi/strapi usekaneo/api',
  1411: 'pocket-id/pocket-id',
  1880: 'nodered/node-red',
  1883: 'eclipse-mosquitto',
  1935: 'ossrs/oryx',
  2283: 'immich-app/immich-server',
  2333: 'lavalink-devs/lavalink',
  2342: 'photoprism/photoprism',
  2368: 'ghost',
  3000: `
    abel-yelin/marketing-dashboard abians7/rustrak-ui adguard/adguardhome aldinokemal2104/go-whatsapp-web-multidevice
    all-hands-ai/openhands amruthpillai/reactive-resume automatischio/automatisch baptistearno/typebot-builder
    baptistearno/typebot-viewer bigcapitalhq/server bluesky-social/pds browserless/chromium c4illin/convertx
    calciumion/new-api calcom/cal.com capsoftware/cap-web chaskiq/chaskiq chatwoot/chatwoot clockworklabs/spacetime
    codex-team/codex.docs colanode/server coollabsio/next-image-transformation coralproject/talk diced/zipline
    docmost/docmost documenso/documenso docuseal/docuseal driaug/plunk dumbwareio/dumbassets dumbwareio/dumbbudget
    dumbwareio/dumbdrop dumbwareio/dumbpad eduardolat/kokoro-web electerious/ackee electricsql/electric ente-io/web
    evershop/evershop flomp/wanderer-web flowiseai/flowise forgejo/forgejo formbricks/formbricks getfider/fider
    gethomepage/homepage gitea gitea/gitea gotenberg/gotenberg grafana/grafana grafana/grafana-enterprise
    grafana/grafana-oss hackmdio/hackmd hardcoreeng/account hedgedoc/hedgedoc hoarder-app/hoarder hoppscotch/hoppscotch
    karakeep-app/karakeep ketbom/minepanel-frontend kutt/kutt langfuse/langfuse langgenius/dify-web
    lindesvard/openpanel-dashboard linkwarden/linkwarden linuxserver/blender linuxserver/chromium linuxserver/libreoffice
    linuxserver/pairdrop lissy93/web-check logiclabshq/open-archiver lowcoderorg/lowcoder-ce lukevella/rallly
    maciejonos/qbitwebui makeplane/plane-admin makeplane/plane-frontend makeplane/plane-live makeplane/plane-space
    maplibre/martin maulik9898/barrage mauriceboe/trek maybe-finance/maybe mendylanda/cut metabase/metabase muety/wakapi
    nitropage/nitropage onetimesecret/onetimesecret openspeedtest/latest outlinewiki/outline pepperlabs/peppermint redmine
    requarks/wiki rocket.chat rocketchat/rocket.chat seanmorley15/adventurelog-frontend silverbulletmd/silverbullet
    simstudioai/simstudio spliit-app/spliit standardnotes/server stonith404/pingvin-share supabase/studio
    swetrix/swetrix-fe teableio/teable tiago2/cap triggerdotdev/trigger.dev twentycrm/twenty umami-software/umami
    uptimekit/dash uraniadev/snapp usesend/usesend we-promise/sure
  `,
  3001: `
    chirpstack/chirpstack-gateway-bridge logto-io/logto louislam/uptime-kuma mintplexlabs/anythingllm svhd/logto
  `,
  3002: 'firecrawl/firecrawl rybbit-io/rybbit-client',
  3010: 'toeverything/affine',
  3030: 'fonoster/dashboard',
  3033: 'marcobaobao/yt-dlp-webui',
  3080: 'danny-avila/librechat danny-avila/librechat-dev danny-avila/librechat-dev-api librechat-ai/librechat',
  3100: 'grafana/loki',
  3210: 'get-convex/convex-backend lobehub/lobe-chat',
  3456: 'vikunja/vikunja',
  3567: 'supertokens/supertokens-mysql supertokens/supertokens-postgresql',
  3900: 'dxflrs/garage',
  3909: 'khairul169/garage-webui',
  4000: `
    azimuttapp/azimutt berriai/litellm-database bytemark/smtp carbone/carbone-ee liltechnomancer/double-zero
    trailbase/trailbase
  `,
  4001: 'getontime/ontime',
  4005: 'databasus/databasus',
  4190: 'analogic/poste.io',
  4200: 'prefecthq/prefect',
  4242: 'unleashorg/unleash-server',
  4318: 'signoz/signoz-otel-collector',
  4321: 'raylabshq/gitea-mirror',
  4512: 'denoland/denokv',
  4533: 'deluan/navidrome navidrome/navidrome',
  4567: 'nodebb/nodebb',
  4873: 'verdaccio/verdaccio',
  4983: 'drizzle-team/gateway',
  5000: `
    benbusby/whoogle-search changedetection.io dgtlmoon/changedetection.io gitroomhq/postiz-app gramps-project/grampsweb
    jordan-dalby/bytestash jvmilazz0/kavita karimz1/imgcompress kavita libretranslate/libretranslate registry
    revenz/fileflows steedos/steedos-community
  `,
  5001: 'docling-project/docling-serve louislam/dockge',
  5006: 'actualbudget/actual-server',
  5054: 'visibilityspots/cloudflared',
  5055: 'fallenbagel/jellyseerr linuxserver/overseerr sctx/overseerr',
  5061: 'fonoster/routr-one',
  5080: 'zinclabs/openobserve',
  5173: 'goniszewski/grimoire stackblitz-labs/bolt.diy usekaneo/web',
  5212: 'cloudreve/cloudreve',
  5230: 'neosmemo/memos',
  5231: 'yourselfhosted/slash',
  5244: 'xhofe/alist',
  5487: 'kyantech/palmr',
  5557: 'getzep/zep-nlp-server',
  5601: 'kibana kibana/kibana opensearchproject/opensearch-dashboards',
  5656: 'edgedb/edgedb geldata/gel',
  5678: 'n8nio/n8n',
  5800: 'jlesage/firefox',
  5984: 'couchdb',
  5985: 'faradaysec/faraday',
  6001: 'soketi/soketi',
  6003: 'poketube/poke',
  6052: 'esphome/esphome',
  6157: 'thomiceli/opengist',
  6167: 'conduit/matrix-conduit famedly/conduit girlbossceo/conduwuit',
  6253: 'budget-board/client',
  6333: 'qdrant/qdrant',
  6420: 'rivetdev/engine',
  6543: 'supabase/supavisor',
  6555: 'linuxserver/embystat',
  6610: '1dev/server',
  6767: 'linuxserver/bazarr',
  6789: 'mageai/mageai',
  6791: 'get-convex/convex-dashboard',
  6805: 'silexlabs/silex',
  6806: 'b3log/siyuan',
  6900: 'argilla/argilla-server',
  7080: 'coder/coder',
  7233: 'temporalio/auto-setup',
  7376: 'sequin/sequin',
  7512: 'kuzzleio/kuzzle',
  7575: 'ajnart/homarr homarr-labs/homarr',
  7700: 'getmeili/meilisearch',
  7745: 'sysadminsmedia/homebox',
  7777: 'hexlo/terraria-server-docker wolveix/satisfactory-server',
  7849: 'oneuptime/nginx',
  7860: 'langflowai/langflow',
  7878: 'linuxserver/radarr',
  7880: 'livekit/livekit-server',
  8000: `
    archivebox/archivebox bugsink/bugsink casbin/casdoor chiefonboarding/chiefonboarding chromadb/chroma crazymax/flarum
    cupcakearmy/cryptgeon fabriziosalmi/certmate flagsmith/flagsmith fuzzygrim/yamtrack getzep/zep glitchtip/glitchtip
    goksan/statusnook healthchecks/healthchecks ignisda/ryot ihatemoney/ihatemoney jgraph/export-server
    kivsegrob/lite-queen kong kong/kong linuxserver/apprise-api linuxserver/cloud9 mattermost/focalboard
    paperless-ngx/paperless-ngx paperlessngx/paperless-ngx parseable/parseable plausible/analytics
    plausible/community-edition posthog/posthog readeck/readeck samuel19982/podfetch sergi0g/cup supabase/kong
    surrealdb/surrealdb unstructured-io/unstructured-api windmill-labs/windmill
  `,
  8001: 'kimai/kimai2',
  8006: 'dockurr/macos dockurr/windows',
  8008: 'matrixdotorg/synapse',
  8025: 'axllent/mailpit',
  8055: 'directus/directus',
  8065: 'mattermost/mattermost-team-edition',
  8069: 'odoo',
  8080: `
    abians7/rustrak-server adamboutcher/statping-ng adminer alam00000/bentopdf amir20/dozzle analogj/scrutiny
    apache/airflow aptabase/aptabase arp242/goatcounter bastienwirtz/homer billnice250/chattone bitnamilegacy/moodle
    bookstackapp/bookstack bytebase/bytebase caroga/commentoplusplus castopod/castopod chirpstack/chirpstack
    codercom/code-server commento/commento coollabsio/pocketbase datalens-tech/datalens-ui drakkan/sftpgo ente-io/server
    evoapicloud/evolution-api filegator/filegator firefly-iii/core fireflyiii/core flipt/flipt fmd-foss/fmd-server
    fonoster/rtpengine glanceapp/glance hardcoreeng/front headscale/headscale heartexlabs/label-studio
    hurlenko/filebrowser infisical/infisical ipfs/kubo jenkins/jenkins jgraph/drawio jinjinov/openhabittracker
    journeyapps/powersync-service kartoza/geoserver kestra/kestra keycloak/keycloak lakhansamani/authorizer
    leantime/leantime linuxserver/calibre linuxserver/qbittorrent linuxserver/sabnzbd lissy93/dashy lukegus/termix
    marimo-team/marimo martialblog/limesurvey mayswind/ezbookkeeping miniflux/miniflux neko/firefox nocodb/nocodb
    notifuse/notifuse open-webui/open-webui owncast/owncast owncloud/server penpotapp/frontend plantuml/plantuml-server
    privatebin/nginx-fpm-alpine pydio/cells rahulhaque/soketi-app-manager-filament-alpine redlib/redlib
    redpandadata/console searxng/searxng semitechnologies/weaviate shlinkio/shlink shlinkio/shlink-web-client
    signoz/signoz spacedrive/server stalwartlabs/stalwart stirlingtools/stirling-pdf temporalio/ui tolgee/tolgee
    tombursch/kitchenowl tomcat triliumnext/notes triliumnext/trilium usetrmnl/larapaper vabene1111/recipes
    vuetorrent/vuetorrent-backend weaviate weblate/weblate wekanteam/wekan windshiftapp/windshift yourls
    zabbix/zabbix-web-apache-pgsql zabbix/zabbix-web-nginx-mysql zabbix/zabbix-web-nginx-pgsql zadam/trilium
  `,
  8081: 'alexta69/metube mongo-express sonatype/nexus3 sonatypecommunity/nexus3 yogeshmulecraft/mulece-esb',
  8082: 'athou/commafeed klausenschaefersinho/quant-ux traccar/traccar',
  8083: 'crocodilestick/calibre-web-automated linuxserver/calibre-web',
  8084: 'calibrain/calibre-web-automated-book-downloader',
  8085: 'eduardolat/pgbackweb',
  8086: 'influxdb klausenschaefersinho/quant-ux-websocket',
  8088: 'amancevice/superset apache/superset',
  8090: `
    adrianmusante/pocketbase atlassian/confluence-server chirpstack/chirpstack-rest-api henrygd/beszel
    mekayelanik/ispyagentdvr
  `,
  8096: 'emby/embyserver jellyfin/jellyfin linuxserver/emby linuxserver/jellyfin',
  8101: 'stackauth/server',
  8108: 'typesense/typesense',
  8123: 'clickhouse/clickhouse-server home-assistant/home-assistant homeassistant/home-assistant',
  8181: 'linuxserver/tautulli',
  8191: 'flaresolverr/flaresolverr',
  8200: 'hashicorp/vault linuxserver/duplicati smaug6739/alexandrie-frontend',
  8201: 'smaug6739/alexandrie-backend',
  8288: 'inngest/inngest',
  8334: 'machines/filestash',
  8384: 'linuxserver/syncthing',
  8428: 'victoriametrics/victoria-metrics',
  8443: 'linuxserver/code-server linuxserver/unifi-network-application pterodactyl/wings',
  8449: 'envoyproxy/envoy',
  8484: 'gristlabs/grist',
  8502: 'lfnovo/open_notebook',
  8529: 'arangodb',
  8581: 'homebridge/homebridge',
  8686: 'linuxserver/lidarr',
  8787: 'linuxserver/readarr nesquena/hermes-webui',
  8888: 'chrislusf/seaweedfs hari1367709/instantdb-server jupyter/base-notebook',
  8923: 'techarohq/anubis',
  8945: 'kieraneglin/pinchflat',
  8978: 'dbeaver/cloudbeaver',
  8989: 'linuxserver/sonarr',
  9000: `
    goauthentik/server libredesk/libredesk listmonk/listmonk mealie-recipes/mealie portainer/portainer-ce sonarqube
  `,
  9001: 'coollabsio/minio etherpad/etherpad minio/minio pgsty/minio rustfs/rustfs',
  9090: 'prom/prometheus sissbruecker/linkding',
  9091: 'authelia/authelia linuxserver/transmission',
  9093: 'prom/alertmanager',
  9100: 'prom/node-exporter',
  9119: 'nousresearch/hermes-agent',
  9157: 'heyform/community-edition',
  9159: 'hoppscotch/proxyscotch',
  9200: 'elasticsearch elasticsearch/elasticsearch elasticsearch/elasticsearch-wolfi',
  9696: 'linuxserver/prowlarr',
  9898: 'garethgeorge/backrest',
  9980: 'collabora/code',
  10000: 'budibase/proxy',
  11080: 'koush/scrypted',
  11434: 'ollama/ollama',
  12008: 'metatool-ai/metamcp',
  12345: 'moonrailgun/tianji',
  13000: 'nocobase/nocobase',
  15672: 'rabbitmq',
  16662: 'lodestone-team/lodestone_core',
  18083: 'emqx/emqx emqx/emqx-enterprise',
  18789: 'coollabsio/openclaw moltbot/clawdbot',
  19898: 'spacedriveapp/spacebot',
  19999: 'netdata/netdata',
  21115: 'rustdesk/rustdesk-server',
  22300: 'joplin/server',
  23333: 'githubyumao/mcsmanager-web',
  24444: 'githubyumao/mcsmanager-daemon',
  25600: 'gotson/komga',
  25774: 'komari-monitor/komari',
  30000: 'felddy/foundryvtt',
  30120: 'spritsail/fivem',
  32400: 'linuxserver/plex plexinc/pms-docker',
  33010: 'grishy/any-sync-bundle',
  34567: 'uusec/openresty-manager',
  47334: 'mindsdb/mindsdb',
  51821: 'wg-easy/wg-easy',
  52345: 'bluewave-labs/checkmate-backend-mono bluewave-labs/checkmate-backend-mono-multiarch',
  61208: 'nicolargo/glances',
  64738: 'mumblevoip/mumble-server',
};

const PORTS = new Map(
  Object.entries(BY_PORT).flatMap(([port, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, Number(port)] as const),
  ),
);

/** Returns the port on which an image answers HTTP, if it is a well-known one. */
export function knownPort(image: string): number | undefined {
  const words = image
    .replace(/@.*/s, '')
    .replace(/:[^/:]*$/, '')
    .toLowerCase()
    .split('/');
  const path = words.length > 1 && /[.:]/.test(words[0] ?? '') ? words.slice(1) : words;
  const name = path.slice(path[0] === 'library' ? 1 : -2).join('/');
  return PORTS.get(name);
}
