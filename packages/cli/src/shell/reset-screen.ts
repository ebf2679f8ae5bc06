/**
 * Undoes what a full-screen program leaves behind if it is cut off: alternate screen, hidden cursor, application keys,
 * mouse reports, bracketed paste and colours.
 */
export const RESET_SCREEN =
  '\u001b[?1049l\u001b[?25h\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1006l\u001b[?2004l\u001b[0m';
