import type { CompletionSource } from '@codemirror/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useJobDescriptors, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { suggestionsAt } from './schema-suggestions.ts';
import { yamlPlace } from './yaml-place.ts';

const noSchema = {};

/** Completes keys and values by the JSON Schema of profiles, and the names of jobs and units. */
export function useCompletion(): CompletionSource {
  const { leader } = useServices();
  const { data: schema = noSchema } = useQuery({
    queryKey: queryKeys.profileSchema,
    queryFn: ({ signal }) => leader.getProfileSchema({ signal }),
  });
  const { data: jobs } = useJobDescriptors();
  const { data: workers } = useWorkers();
  return useMemo(() => {
    const names = {
      jobs: (jobs ?? []).map(({ job_name }) => job_name),
      units: (workers ?? []).map(({ reactor_unit }) => reactor_unit),
    };
    return ({ state, pos, explicit }) => {
      const place = yamlPlace(state.sliceDoc(0, pos));
      if (place.entered === '' && !explicit) return null;
      const options = suggestionsAt(schema, place, names).map(({ label, text, description }) => ({
        label,
        apply: text,
        ...(description !== undefined && { info: description }),
      }));
      return { from: pos - place.entered.length, options, validFor: /^[\w.]*$/ };
    };
  }, [schema, jobs, workers]);
}
