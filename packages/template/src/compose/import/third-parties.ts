/** Services on the internet that issue keys, as names of variables spell them. */
const VENDORS = [
  'ai21 anthropic azure bedrock cerebras claude cohere dashscope deepgram deepinfra deepl deepseek elevenlabs exa fal firecrawl fireworks',
  'gemini groq hf huggingface huggingfacehub jina kimi minimax mistral moonshot nvidia ollama_cloud openai openrouter perplexity qwen',
  'replicate serpapi serper stability tavily together venice vertex voyage xai zai zhipu',
  'apple atlassian aws bitbucket cf cloudflare digitalocean discord dropbox facebook firebase github google hetzner linkedin',
  'mapbox maptiler microsoft namecheap notion okta onedrive pexels pushover reddit slack spotify tailscale ts telegram tmdb',
  'twitch twitter unsplash zoom',
  'lemonsqueezy mollie paddle paypal plaid razorpay stripe',
  'brevo loops mailchimp mailgun mailjet mailersend mandrill plivo plunk postmark resend sendgrid ses sparkpost twilio vonage',
  'amplitude hcaptcha intercom mixpanel novu posthog_cloud recaptcha turnstile',
].flatMap((line) => line.split(' '));

/** Bounds the patterns, which try again from each part of a name. */
const MAX_NAME_LENGTH = 256;
const VENDOR = new RegExp(`(^|[_.-])(${VENDORS.join('|')})[_.-]`, 'i');
/** Always made elsewhere: accounts of mail servers, registrations of OAuth clients, tunnels, licences. */
const ELSEWHERE_FORMS = [
  '(smtp|mailer|mail|email)_((smtp|server|host|auth|user|account|sender|relay)_)*(pass|password|passwd|pwd|token|key|secret)$',
  '(^|_)client_?secret$',
  '(^|_)(oauth2?|oidc|sso|saml|openid)_(\\w+_)?secret$',
  '(^|_)(gitlab|sentry)_(\\w+_)?(token|api_key)$',
  '(^|_)tunnel_token$',
  '(^|_)auth_?key$',
  '(^|_)licen[cs]e(_key)?$',
];
const ELSEWHERE = new RegExp(ELSEWHERE_FORMS.join('|'), 'i');

/**
 * Tells whether a secret of this name is issued by another service, so that a generated value could never work. The person who
 * deploys is asked for it.
 */
export function isOfThirdParty(name: string): boolean {
  const plain = name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll('__', '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2');
  return ELSEWHERE.test(plain) || (VENDOR.test(plain) && !/password$/i.test(plain));
}
