import { wordsOf } from '../../search/words.ts';

const STOP_WORDS = new Set(
  'a about an and any are as at be by can could do does for from give have how i in is it me my need of on or our should so some tell that the their them there this to want was we what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** The words of a text without stop words, each in the singular. */
export const wordsThatMatter = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(singular);

const singular = (word: string): string => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word);
