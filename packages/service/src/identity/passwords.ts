import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalid, Problem } from '../problem.ts';

export const PASSWORD_LENGTH = { min: 10, max: 256 } as const;

/** OWASP's recommendation for argon2id with the smallest memory of its list: 19 MiB, two passes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Each hash occupies a thread and 19 MiB, and other work needs threads too. */
export const AT_ONCE = 2;
/** Limit of each of the two queues. A hash takes about 30 ms, so the last one waits about four seconds. */
const MAX_WAITING = 256;

export interface PasswordsOptions {
  readonly maxWaiting?: number;
  /** Computes an argon2id hash; tests pass their own. */
  readonly derive?: typeof derive;
}

export function checkNewPassword(field: string, password: string): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length >= min && password.length <= max) return;
  throw invalid(field, `must have from ${min} to ${max} characters.`);
}

/** Hashes and verifies off the event loop, a few at a time. */
export class Passwords {
  readonly #waiting: (() => void)[] = [];
  readonly #first: (() => void)[] = [];
  readonly #maxWaiting: number;
  readonly #hash: typeof derive;
  #running = 0;
  /** Verified for unknown users, so that they take as long as a wrong password. No password matches it. */
  readonly #decoy = print(COST, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  constructor(options: PasswordsOptions = {}) {
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this.#hash = options.derive ?? derive;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return print(COST, salt, await this.#derive(password, salt, COST, TAG_BYTES));
  }

  /**
   * Verifies a password. Pass undefined for an unknown user: the result is false, after the same work. `first` goes
   * ahead of all others, so that a flood of attempts does not lock out users who sign in from a network they have used
   * before.
   */
  async verify(password: string, hash: string | undefined, first = false): Promise<boolean> {
    const { cost, salt, tag } = parse(hash ?? this.#decoy);
    const derived = await this.#derive(password, salt, cost, tag.length, first);
    return timingSafeEqual(derived, tag) && hash !== undefined;
  }

  async #derive(password: string, salt: Buffer, cost: Cost, length: number, first = false): Promise<Buffer> {
    await this.#turn(first ? this.#first : this.#waiting);
    try {
      return await this.#hash(password, salt, cost, length);
    } finally {
      // Hand the slot to the next in line, so that a new caller cannot jump the queue.
      const next = this.#first.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  async #turn(queue: (() => void)[]): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running++;
      return;
    }
    if (queue.length >= this.#maxWaiting) {
      throw new Problem('RATE_LIMITED', 'Too many sign-ins at the moment. Try again in a few seconds.', {
        retry_after: 5,
      });
    }
    await new Promise<void>((turn) => queue.push(turn));
  }
}

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

function derive(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  // Keyboards compose letters differently; normalize, so that the password is the same.
  const message = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** PHC string format, which contains its parameters, so that a later release can raise them. */
const print = ({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(hash: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(hash) ?? [];
  if (!memory) throw new Error('A stored password hash is malformed.');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
