/** Of the contract: new passwords have from 10 to 256 characters. */
const passwordRule = { min: 10, max: 256 };

export const checkPassword = (value: string): string | undefined =>
  value.length < passwordRule.min ? `At least ${passwordRule.min} characters.` : undefined;
