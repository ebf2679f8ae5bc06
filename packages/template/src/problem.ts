/** An error in the input of a caller, with the name of the field that the caller uses. */
export interface Problem {
  field: string;
  message: string;
}
