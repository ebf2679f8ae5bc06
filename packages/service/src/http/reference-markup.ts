/** Text that is already HTML. Everything else in the template below is escaped, so that callers cannot forget it. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

export type Part = Markup | string | number | false | undefined | readonly Part[];

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const render = (part: Part): string => {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.html;
  if (Array.isArray(part)) return part.map(render).join('');
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '');
};

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(strings.reduce((text, string, i) => text + render(parts[i - 1]) + string));

/** Renders a sentence with code in `backticks`. */
export const prose = (text: string): Part =>
  text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part));

/** Returns a fragment name that is safe in an attribute, a selector and a URL. */
export const anchor = (name: string): string => name.replace(/[^A-Za-z0-9.-]+/g, '-');
