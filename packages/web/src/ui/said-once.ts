/** A reason without a sentence that the next one begins with: the short form of an error is often the start of its cause. */
export function saidOnce(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/);
  return sentences
    .filter((sentence, index) => {
      const words = sentence.replace(/[.!?]+$/, '');
      const next = sentences[index + 1] ?? '';
      return words === '' || !next.startsWith(words) || /^\w/.test(next.slice(words.length));
    })
    .join(' ');
}
