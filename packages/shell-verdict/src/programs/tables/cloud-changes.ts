/** Verbs that change something, in the words of every cloud command line. */
export const CLOUD_CHANGES = `create create-* delete delete-* update update-* set set-* add add-* remove remove-* put put-* start start-* stop stop-* restart reboot*
  terminate* modify* attach* detach* associate* disassociate* authorize* revoke* enable* disable* register* deregister* import import-* export export-*
  copy move purge purge-* restore* run invoke* publish publish-* send send-* tag-* untag-* upload upload-* deploy deploy-* undeploy cancel* reset* rotate* grant* apply*
  deallocate redeploy open-port resize* scale* failover* regenerate* renew* approve* reject* assign assign-* unassign unassign-* sync cp mv rm rb mb login logout configure upgrade
  install uninstall exec ssh scp call write patch replace* clear* move-* rename* swap* release* accept* allocate* promote* rollback* convert* undelete destroy encrypt decrypt sign*
  browse up wait execute* change* complete* confirm* initiate* admin-* batch-write* batch-delete* transact* unload* resume* suspend* submit* upsert connect*
  restart* generate-* recover* trigger* queue pause* migrate* abandon* bulk-* extend* join leave lock unlock bind unbind mount* flush* merge* provision* drain* swap activate* deactivate* init initialize* link unlink rebuild* resync*`
