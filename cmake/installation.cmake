# The files of `cmake --install`, and the Debian package that `cpack` makes of them; see
# docs/installing.md.
include(GNUInstallDirs)

install(TARGETS merpati RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS packaging/merpati-backup DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES packaging/merpati.service packaging/merpati-worker.socket
  packaging/merpati-worker@.service packaging/merpati-backup.service packaging/merpati-backup.timer
  DESTINATION lib/systemd/system)
install(FILES packaging/merpati.sysusers DESTINATION lib/sysusers.d RENAME merpati.conf)
# Only if it was built here: it contains packages under other licences (workers/linked/README.md).
install(DIRECTORY workers/linked/dist DESTINATION lib/merpati/workers/linked OPTIONAL)
install(FILES workers/linked/package.json DESTINATION lib/merpati/workers/linked)
install(FILES packaging/merpati.toml LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Merpati maintainers <maintainers@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
# The time zones of campaigns are read when they are used.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, tzdata")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
