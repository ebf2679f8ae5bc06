/** Returns the form in which emails are stored and compared. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();
