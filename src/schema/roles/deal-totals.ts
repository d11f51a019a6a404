// The totals of open deals (contract 6): which properties of a type they are, and what feeds them. They are added up
// from the deals' side whenever they are read, so that no write of a deal or a stage has to look for the records that
// it feeds.

/** The numbers of the types and association types from which the totals are computed. */
export const dealFeeds = {
  dealType: 3,
  stageType: 6,
  /** `svc_deal_to_contact` */
  dealToPerson: 3,
  /** `svc_deal_to_deal_pipeline_stage` */
  dealToStage: 4,
} as const;
