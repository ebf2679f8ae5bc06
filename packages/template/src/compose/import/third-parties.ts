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

const VENDOR = new RegExp(`(^|[_.-])(${VENDORS.join('|')})[_.-](?!.*password$)`, 'i');
/** Always made elsewhere: accounts of mail servers, registrations of OAuth clients, tunnels, licences. */
const ELSEWHERE = new RegExp(
  [
    '(smtp|mailer|mail|email)_((smtp|server|host|auth|user|account|sender|relay)_)*(pass|password|passwd|pwd|token|key|secret)$',
    '(^|_)client_?secret$',
    '(^|_)(oauth2?|oidc|sso|saml|openid)_(\\w+_)?secret$',
    '(^|_)(gitlab|sentry)_(\\w+_)?(token|api_key)$',
    '(^|_)tunnel_token$',
    '(^|_)auth_?key$',
    '(^|_)licen[cs]e(_key)?$',
  ].join('|'),
  'i',
);

/**
 * Tells whether a secret of this name is issued by another service, so that a generated value could never work. The person who
 * deploys is asked for it.
 */
export function isOfThirdParty(name: string): boolean {
  const plain = name.replaceAll('__', '_').replace(/([a-z])([A-Z])/g, '$1_$2');
  return ELSEWHERE.test(plain) || VENDOR.test(plain);
}
