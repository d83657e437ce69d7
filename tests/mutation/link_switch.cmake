# Included by the copy of the project that run.py builds: every program gets the switch of its mutants.
find_package(GTest REQUIRED)
add_library(mutation_switch STATIC ${CMAKE_CURRENT_LIST_DIR}/switch.cpp)
target_compile_features(mutation_switch PRIVATE cxx_std_20)
target_compile_options(mutation_switch PRIVATE -O2)
target_include_directories(mutation_switch PRIVATE $<TARGET_PROPERTY:GTest::gtest,INTERFACE_INCLUDE_DIRECTORIES>)
link_libraries(mutation_switch)
