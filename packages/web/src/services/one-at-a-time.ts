/**
 * Starts acts; one with the variables of the latest act, which has no answer yet, is that act. Only the latest counts: a switch that is set
 * on, off and on again ends on.
 */
export function oneAtATime<Variables, Answer>(isSame: (one: Variables, other: Variables) => boolean) {
  let latest: { readonly variables: Variables; readonly answer: Promise<Answer> } | undefined;
  return (variables: Variables, start: () => Promise<Answer>): Promise<Answer> => {
    if (latest !== undefined && isSame(latest.variables, variables)) return latest.answer;
    const act = {
      variables,
      answer: start().finally(() => {
        if (latest === act) latest = undefined;
      }),
    };
    latest = act;
    return act.answer;
  };
}
