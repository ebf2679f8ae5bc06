/** Something wrong with what a caller gave, by the name the caller knows. */
export interface Problem {
  field: string;
  message: string;
}
