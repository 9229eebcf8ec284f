import {
  replaceEqualDeep,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useRepeatableMutation,
} from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { oneAtATime } from './one-at-a-time.ts';

/** Plain values by their content, others, such as files, by their identity. */
export const isSameAct = (one: unknown, other: unknown): boolean => replaceEqualDeep(one, other) === one;

/**
 * A mutation that a double click starts once: the button is disabled only when the page is drawn again, and the second click may come
 * before. The same act with other variables, such as another row of a list, is another one.
 */
export function useMutation<Data = unknown, Failure = Error, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Failure, Variables, Context>,
): UseMutationResult<Data, Failure, Variables, Context> {
  const mutation = useRepeatableMutation(options);
  const { mutateAsync: start } = mutation;
  const [run] = useState(() => oneAtATime<Variables | undefined, Data>(isSameAct));
  const mutateAsync = useCallback(
    (...act: Parameters<typeof start>): Promise<Data> => run(act[0], () => start(...act)),
    [run, start],
  );
  const mutate = useCallback(
    (...act: Parameters<typeof start>): void => {
      // The state of the mutation has the error.
      mutateAsync(...act).catch(() => undefined);
    },
    [mutateAsync],
  );
  return { ...mutation, mutate, mutateAsync };
}
