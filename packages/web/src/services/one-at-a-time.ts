/** Starts acts; one with the key of an act that has no answer yet is that act. */
export function oneAtATime<Answer>(): (key: string, start: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, start) => {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const answer = start().finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  };
}
