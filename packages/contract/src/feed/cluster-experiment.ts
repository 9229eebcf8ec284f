/** Means the cluster itself where an experiment is expected. Apart from the shapes, whose library is a sixth of the first page. */
export const clusterExperiment = '$experiment';
