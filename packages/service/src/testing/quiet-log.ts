/** Collects log lines, so that a test can inspect them and the terminal stays readable. */
export class QuietLog {
  readonly lines: { readonly level: 'warn' | 'error'; readonly fields: object; readonly message: string }[] = [];

  readonly warn = (fields: object, message = ''): void => {
    this.lines.push({ level: 'warn', fields, message });
  };

  readonly error = (fields: object, message = ''): void => {
    this.lines.push({ level: 'error', fields, message });
  };
}
