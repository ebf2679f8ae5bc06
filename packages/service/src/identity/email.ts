/** Returns the form that emails are stored and compared in. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();
