/** Nobody signs in by the case of a letter. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();
