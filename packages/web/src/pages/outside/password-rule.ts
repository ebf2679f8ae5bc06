/** Of the contract: new passwords have from 10 to 256 characters. */
export const passwordRule = { least: 10, most: 256 };

export const checkPassword = (value: string): string | undefined =>
  value.length < passwordRule.least ? `At least ${passwordRule.least} characters.` : undefined;
