/** The job of the leader that carries out a profile. */
export const profileJobName = 'experiment_profile';
