import type { ImageReference } from '@hortus/contract/template/image';
import type { InputValue } from '@hortus/contract/template/inputs';
import type { Canonical } from '../canonical/canonical-form.ts';
import { effectiveInputs, type Inputs, isSecretInput } from '../inputs/inputs.ts';
import { type Filled, type Found, fill } from '../interpolation/fill.ts';
import { type ParsedText, parseText, type Reference } from '../interpolation/text.ts';
import { imageText } from '../notation/image-reference.ts';
import type { Problem } from '../problem.ts';
import { type IngressPorts, routeScheme, routeUrl } from './route-address.ts';

export interface Instance {
  uid: string;
  name: string;
  server_id: string;
  tenant_id?: string;
}

export interface Surroundings {
  /** With its profile applied. */
  spec: Canonical;
  profile: string;
  variant: string | null;
  image: ImageReference | undefined;
  inputs: Inputs;
  /** Inputs whose values came from the vault. */
  sealedInputs?: readonly string[] | undefined;
  secrets: Readonly<Record<string, string>>;
  instance: Instance;
  needs: Readonly<Record<string, Readonly<Record<string, InputValue>>>>;
  /** Ports of the ingress; 80 and 443 by default. */
  ports?: IngressPorts | undefined;
  /** Cost of bcrypt, if not the usual one. */
  bcryptCost?: number | undefined;
}

const UNSET: Found = { value: undefined, secret: false };

/** Names come from templates, so `constructor` must not reach a prototype. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

const open = (value: InputValue | null | undefined): Found => ({ value: value ?? undefined, secret: false });

/** Maximum length of all filled texts of one resolution. The service signs and sends a manifest in one turn of its event loop. */
const MAX_RESULT_LENGTH = 1_572_864;

const parsedTexts = new WeakMap<Canonical, Map<string, ParsedText>>();

/** Evaluates every reference of one resolution, and collects missing values. */
export class Scope {
  readonly problems: Problem[] = [];
  readonly #around: Surroundings;
  readonly #inputs: Map<string, InputValue>;
  readonly #vars = new Map<string, Found>();
  #length = 0;
  readonly #parsed: Map<string, ParsedText>;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#inputs = effectiveInputs(around.spec, around.inputs);
    this.#parsed = parsedTexts.get(around.spec) ?? new Map();
    parsedTexts.set(around.spec, this.#parsed);
  }

  get bcryptCost(): number | undefined {
    return this.#around.bcryptCost;
  }

  fail(field: string, message: string): void {
    if (!this.problems.some((known) => known.field === field && known.message === message)) {
      this.problems.push({ field, message });
    }
  }

  fill(text: string): Filled {
    return this.#bounded(fill(this.#parse(text), this));
  }

  /**
   * Fills the texts of actions: params stay, and no value may look like a param, because it would be filled when the
   * action runs.
   */
  fillExceptParams(text: string): Filled {
    const filled = fill(this.#parse(text), {
      find: (reference) => {
        const found = this.find(reference);
        if (typeof found.value === 'string' && found.value.includes('${')) {
          this.fail(
            `${reference.namespace}.${reference.names.join('.')}`,
            'is used by an action and must not contain ${',
          );
        }
        return found;
      },
      saltFor: (reference) => this.saltFor(reference),
      bcryptCost: this.bcryptCost,
      leaves: ({ namespace }) => namespace === 'params',
    });
    return this.#bounded(filled);
  }

  /** References can double a text with every step, so the length of the result is limited too. */
  #bounded(filled: Filled): Filled {
    this.#length += filled.text?.length ?? 0;
    if (this.#length <= MAX_RESULT_LENGTH) return filled;
    this.fail('vars', `expand to a manifest of more than ${MAX_RESULT_LENGTH} characters`);
    return { ...filled, text: '' };
  }

  find(reference: Reference): Found {
    const { spec, instance, profile, variant, needs } = this.#around;
    const [name = '', field] = reference.names;
    switch (reference.namespace) {
      case 'inputs':
        return this.#input(name);
      case 'secrets':
        return this.#secret(name, field);
      case 'vars':
        return this.#variable(name);
      case 'routes':
        return this.#route(name, field);
      case 'components':
        return open(componentHost(instance.uid, name));
      case 'needs':
        return this.#need(name, field ?? '', needs);
      case 'instance':
        return open(own({ ...instance, profile, variant }, name));
      case 'template':
        return open(this.#template(name, spec));
      case 'params':
        return UNSET;
    }
  }

  /** Salts may be public; this one differs for every instance and reference. */
  saltFor({ namespace, names }: Reference): string {
    return `${this.#around.instance.uid}/${namespace}.${names.join('.')}`;
  }

  #parse(text: string): ParsedText {
    let parsed = this.#parsed.get(text);
    if (parsed === undefined) {
      parsed = parseText(text);
      this.#parsed.set(text, parsed);
    }
    return parsed;
  }

  #input(name: string): Found {
    const { spec } = this.#around;
    const value = this.#inputs.get(name);
    if (value === undefined && spec.inputs.required.some((input) => input.name === name && input.when === undefined)) {
      this.fail(`inputs.${name}`, 'is required');
    }
    return { value, secret: isSecretInput(spec, name) || (this.#around.sealedInputs?.includes(name) ?? false) };
  }

  #secret(name: string, field: string | undefined): Found {
    const { secrets, inputs } = this.#around;
    const key = field === 'public' ? `${name}.public` : name;
    // An external secret is given among the inputs.
    const value = own(secrets, key) ?? own(inputs, key);
    if (value === undefined) this.fail(`secrets.${key}`, 'has no value');
    return { value, secret: field !== 'public' && !isPort(own(this.#around.spec.secrets, name)?.generate, value) };
  }

  #variable(name: string): Found {
    const known = this.#vars.get(name);
    if (known !== undefined) return known;
    const text = own(this.#around.spec.vars, name);
    if (text === undefined) return UNSET;
    this.#vars.set(name, UNSET);
    const filled = this.fill(text);
    const found = { value: filled.text, secret: filled.secret };
    this.#vars.set(name, found);
    return found;
  }

  #route(name: string, field: string | undefined): Found {
    const route = this.#around.spec.routes.find((candidate) => candidate.name === name);
    if (route === undefined) return UNSET;
    const host = this.fill(route.host);
    const path = this.fill(route.path);
    const address = { tls: route.tls, host: host.text ?? '', path: path.text ?? '/' };
    const facts: Record<string, string> = {
      host: address.host,
      path: address.path,
      scheme: routeScheme(address),
      url: routeUrl(address, this.#around.ports),
    };
    return { value: own(facts, field ?? ''), secret: field !== 'scheme' && (host.secret || path.secret) };
  }

  #need(name: string, field: string, needs: Surroundings['needs']): Found {
    const met = own(needs, name);
    const optional = this.#around.spec.needs.some((need) => need.as === name && need.optional);
    if (met === undefined && !optional) this.fail(`needs.${name}`, 'is not met');
    // Attributes of another template may be secrets, so all of them are treated as secret.
    return {
      value: met && own(met, field),
      secret: met !== undefined,
    };
  }

  #template(name: string, spec: Canonical): string | undefined {
    const { image } = this.#around;
    if (name === 'image') return image && imageText(image);
    if (name === 'tag') return image?.tag;
    const { slug, version, app_version } = spec;
    return own({ slug, name: spec.name, version, app_version }, name);
  }
}

/** A generated port is made to be published. An earlier version may have generated a password of this name. */
const isPort = (generator: string | undefined, value: InputValue | undefined): boolean =>
  generator === 'port' && /^\d{1,5}$/.test(String(value));

export function componentHost(uid: string, component: string): string {
  return `${uid}-${component}`;
}
