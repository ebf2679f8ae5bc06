/** What a request changes of a record that has an address and secrets. */
export interface AddressChange {
  /** Fields of the address that the request changes or removes. */
  readonly changed: readonly string[];
  /** Secrets that are stored. */
  readonly stored: readonly string[];
  /** Fields that the request contains. */
  readonly input: readonly string[];
}

/**
 * Lists the stored secrets that a request must contain again because it changes the address. Otherwise anyone who may
 * edit the record could have a secret that they cannot read sent to a server of their own.
 */
export const secretsAgain = ({ changed, stored, input }: AddressChange): string[] =>
  changed.length === 0 ? [] : stored.filter((name) => !input.includes(name));
